// The page in a frame. Once the page has said that it is ready, the page and this widget send each other the experiment, in the
// messages of src/host.rs.

// A page that has not answered after this time counts as unreachable from this browser.
const PATIENCE_MS = 15000;

export default {
  render({ model, el }) {
    const address = new URL(model.get('_page'));
    const frame = document.createElement('iframe');
    frame.title = 'Lipscope';
    frame.style.cssText = `display: block; box-sizing: border-box; width: 100%; height: ${model.get('_height')}px; border: 1px solid rgb(128 128 128 / 40%); border-radius: 6px;`;
    const note = document.createElement('div');
    note.setAttribute('role', 'status');
    note.className = 'lipscope-note';
    el.append(frame, note);

    // The experiment that the page last said it shows.
    let shown = null;
    let isReady = false;

    const show = () => {
      const text = model.get('_text');
      if (isReady && text !== shown) frame.contentWindow.postMessage({ lipscope: 'show', experiment: text }, address.origin);
    };
    const hear = ({ source, origin, data }) => {
      if (source !== frame.contentWindow || origin !== address.origin) return;
      if (data?.lipscope === 'ready') {
        isReady = true;
        shown = null;
        clearTimeout(patience);
        note.textContent = '';
        frame.hidden = false;
        show();
      } else if (data?.lipscope === 'experiment') {
        shown = data.experiment;
        model.set({ _text: shown, problem: '' });
        model.save_changes();
      } else if (data?.lipscope === 'problem') {
        note.textContent = data.problem;
        model.set('problem', data.problem);
        model.save_changes();
      }
    };
    const tellFallback = () => { if (!isReady) note.innerHTML = model.get('_fallback'); };
    const patience = setTimeout(() => {
      frame.hidden = true;
      model.send('fallback');
    }, PATIENCE_MS);

    window.addEventListener('message', hear);
    model.on('change:_text', show);
    model.on('change:_fallback', tellFallback);
    frame.src = address.href;

    return () => {
      clearTimeout(patience);
      window.removeEventListener('message', hear);
      model.off('change:_text', show);
      model.off('change:_fallback', tellFallback);
    };
  },
};
