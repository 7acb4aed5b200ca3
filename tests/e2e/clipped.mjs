// Texts that a reader cannot read to their end: on the page, cut by the edge of their box or by an ellipsis; on a canvas, shortened by
// the plot or drawn past its edge.

/** Records every text that is drawn on a canvas. To be called before the page is opened, or before it is loaded anew. */
export const recordTexts = (page) => page.addInitScript(() => {
  const drawn = new Map();
  window.__drawn = drawn;
  const { fillText, fillRect, clearRect } = CanvasRenderingContext2D.prototype;
  const covers = (context, x, y, width, height) => x <= 1 && y <= 1 && x + width >= context.canvas.width - 1 && y + height >= context.canvas.height - 1;
  // A picture begins by clearing its whole canvas.
  const forget = (original) => function paint(x, y, width, height) {
    const { e, f, a, d } = this.getTransform();
    if (covers(this, e + a * x, f + d * y, a * width, d * height)) drawn.set(this.canvas, []);
    return original.call(this, x, y, width, height);
  };
  CanvasRenderingContext2D.prototype.fillRect = forget(fillRect);
  CanvasRenderingContext2D.prototype.clearRect = forget(clearRect);
  CanvasRenderingContext2D.prototype.fillText = function write(text, x, y, ...rest) {
    const width = this.measureText(text).width;
    const start = { left: 0, start: 0, center: -width / 2, right: -width, end: -width }[this.textAlign];
    const corners = [start, start + width].map((dx) => new DOMPoint(x + dx, y).matrixTransform(this.getTransform()));
    const [low, high] = [0, 1].map((i) => [corners[i].x, corners[i].y]);
    if (!drawn.has(this.canvas)) drawn.set(this.canvas, []);
    drawn.get(this.canvas).push({ text, low, high });
    return fillText.call(this, text, x, y, ...rest);
  };
});

/** The clipped texts in sight, each with where it stands. */
export const clippedTexts = (page) => page.evaluate(() => {
  const found = [];
  const name = (element) => element.id || element.dataset.testid || element.className || element.tagName;
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && element.getClientRects().length > 0 && !element.closest('.sr-only, .lesson-skip:not(:focus)');
  for (const element of document.querySelectorAll('body *')) {
    const { overflowX, overflowY, textOverflow } = getComputedStyle(element);
    const hidden = [overflowX, overflowY].map((overflow) => ['hidden', 'clip'].includes(overflow));
    if (!hidden.includes(true) || !isSeen(element) || !element.innerText?.trim()) continue;
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    const wide = hidden[0] && element.scrollWidth > element.clientWidth + 1;
    if (wide && (own || textOverflow === 'ellipsis')) found.push(`${name(element)}: “${element.innerText.slice(0, 60)}”`);
  }
  for (const [canvas, texts] of window.__drawn) {
    if (!canvas.isConnected || !isSeen(canvas)) continue;
    for (const { text, low, high } of texts) {
      const isOut = [low, high].some(([x, y]) => x < -1.5 || y < -1.5 || x > canvas.width + 1.5 || y > canvas.height + 1.5);
      if (text.includes('…') || isOut) found.push(`${name(canvas)} draws “${text}”${isOut ? ' past its edge' : ''}`);
    }
  }
  return [...new Set(found)];
});
