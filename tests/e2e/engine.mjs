// Records the messages of the engine's workers, for tests and benchmarks about which worker did which task.

/**
 * Runs in the page before its own scripts: the browser says that there are `cores` cores. `__engine` holds how many of the
 * engine's workers were started, how many are alive now, how many were alive at most at one time, and every order of
 * a sweep or of its curves and every result of a sweep, each with its worker and time.
 */
export function watchEngine(cores) {
  Object.defineProperty(navigator, 'hardwareConcurrency', { get: () => cores });
  const engine = { started: 0, alive: 0, most: 0, sweeps: [] };
  Object.defineProperty(window, '__engine', { value: engine });
  // Places of the tasks in `EngineTasks` (crates/protocol/src/tasks/mod.rs).
  const [SWEEP, CURVES] = [1, 3];
  /** What follows the run's number in an envelope: tags of one byte. */
  const tags = (bytes) => {
    const view = new Uint8Array(bytes);
    let at = 1;
    while (view[at] & 0x80) at += 1;
    return [view[0], ...view.subarray(at + 1, at + 3)];
  };
  const Native = window.Worker;
  window.Worker = class extends Native {
    constructor(url, ...given) {
      super(url, ...given);
      this.isEngine = /\/worker_loader\.js$/.test(url);
      if (!this.isEngine) return;
      engine.started += 1;
      engine.alive += 1;
      engine.most = Math.max(engine.most, engine.alive);
      this.number = engine.started;
      this.addEventListener('message', ({ data }) => {
        const [kind, content, event] = tags(data.bytes);
        // A reply with an event.
        if (kind === 1 && content === 1 && event === SWEEP) this.note('points');
      });
    }

    postMessage(message, ...given) {
      if (this.isEngine) {
        const [kind, plan] = tags(message.bytes);
        if (kind === 0 && (plan === SWEEP || plan === CURVES)) this.note('ordered');
      }
      super.postMessage(message, ...given);
    }

    terminate() {
      if (this.isEngine) engine.alive -= 1;
      super.terminate();
    }

    note(what) {
      engine.sweeps.push({ what, worker: this.number, at: performance.now() });
    }
  };
}
