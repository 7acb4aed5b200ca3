import { chromium } from 'playwright-core';
import { launch, serveSite, shutDown } from './browser.mjs';
const site = await serveSite();
const b = await launch();
for (const [name, w, h, scheme, path] of [['theory', 1440, 900, 'light', 'theory.html#adversarial'], ['theory-p', 390, 844, 'dark', 'theory.html'], ['home', 1440, 900, 'light', ''], ['home-d', 1280, 720, 'dark', '#v3&plot=growth'], ['home-p', 390, 844, 'light', ''], ['layer', 1440, 900, 'light', '#v3&norm=layer']]) {
  const c = await b.newContext({ viewport: { width: w, height: h }, colorScheme: scheme, serviceWorkers: 'block' });
  const p = await c.newPage();
  await p.goto(site.url + path); await p.waitForTimeout(2500);
  await p.screenshot({ path: `/tmp/look-${name}.png` });
  await c.close();
}
await shutDown();
