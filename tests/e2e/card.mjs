// Makes the image of the card that stands for a shared link, of assets/opening/card.svg: node card.mjs [FILE]
// Without FILE it writes assets/card.png.
import { readFileSync, writeFileSync } from 'node:fs';
import { ROOT, launch, shutDown } from './browser.mjs';

/** The card as PNG, 1200 x 630. */
export async function cardImage() {
  const page = await (await launch()).newPage({ viewport: { width: 1200, height: 630 } });
  await page.setContent(`<body style="margin: 0">${readFileSync(`${ROOT}assets/opening/card.svg`, 'utf8')}`);
  const image = await page.screenshot();
  await page.close();
  return image;
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(process.argv[2] ?? `${ROOT}assets/card.png`, await cardImage());
  await shutDown();
}
