// Reads what Criterion wrote.
import { existsSync, readFileSync, readdirSync } from 'node:fs';

/** Median in milliseconds by bench of a group's folder; Criterion stores nanoseconds. */
export function mediansOf(folder) {
  const ids = existsSync(folder) ? readdirSync(folder).filter((id) => existsSync(`${folder}/${id}/new/estimates.json`)).sort() : [];
  return Object.fromEntries(ids.map((id) => {
    const { median } = JSON.parse(readFileSync(`${folder}/${id}/new/estimates.json`, 'utf8'));
    return [id, median.point_estimate / 1e6];
  }));
}
