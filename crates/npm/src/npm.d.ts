/** A matrix as a list of rows. */
export type Rows = number[][];

/** Where the tokens come from. */
export type TokenSource =
  | { source: "explicit"; rows: Rows }
  | { source: "random"; distribution?: "gaussian" | "sphere" | "ball"; n?: number; d?: number; radius?: number; seed?: number }
  | { source: "adversarial"; n?: number; radius?: number }
  | { source: "skew"; n?: number; radius?: number }
  | { source: "clusters"; positions: Rows; log_multiplicities: number[] };

/** Where the weights come from. */
export type WeightSource =
  | { source: "explicit"; heads: { q: Rows; k: Rows; v: Rows }[]; output?: Rows }
  | { source: "random"; heads?: number; head_dim?: number; scale?: number; seed?: number; output?: boolean }
  | { source: "identity"; sign?: 1 | -1 }
  | { source: "kim"; heads?: number; scale?: number; seed?: number };

/** One measurement. */
export interface Experiment {
  version?: 1;
  attention?: "dot" | "l2";
  mask?: "none" | "causal";
  normalization?: "none" | "layer" | "rms";
  normalization_scope?: "inputs" | "composed";
  eps?: number;
  tokens: TokenSource;
  weights?: WeightSource;
}

/** A bound on the norm; value is null past the range of f64, where log10 still holds. */
export interface Bound {
  id: string;
  side: "upper" | "lower";
  norm: "spectral";
  value: number | null;
  log10: number | null;
}

/** The result of a measurement. A norm that needs all entries of the Jacobian is null where the Jacobian is large. */
export interface Measurement {
  spectral: number;
  frobenius: number | null;
  linf: number | null;
  l1: number | null;
  singular_values: number[] | null;
  method: "dense_svd" | "lanczos";
  iterations: number;
  relative_residual: number;
  n: number;
  d: number;
  radius: number;
  bounds: Bound[];
  warnings: string[];
}

/** One point of a sweep. */
export interface SweepPoint {
  n: number;
  draw: number;
  spectral: number;
  radius: number;
  method: "dense_svd" | "lanczos";
  iterations: number;
  relative_residual: number;
}

/** A sweep, and c n^alpha fitted to it. */
export interface SweepResult {
  points: SweepPoint[];
  fit: { exponent: number; half_width_95: number; factor: number; points: number } | null;
}
