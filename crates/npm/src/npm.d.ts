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
  | { source: "explicit"; heads: Head[]; output?: Rows }
  | { source: "explicit"; heads: SharingHead[]; kv_heads: KeysAndValues[]; output?: Rows }
  | {
      source: "random"; heads?: number; kv_heads?: number; differential?: number; head_dim?: number; scale?: number;
      seed?: number; output?: boolean;
    }
  | { source: "identity"; sign?: 1 | -1 }
  | { source: "kim"; heads?: number; scale?: number; seed?: number };

/** The matrices of a head; with q2, k2 and lambda a second map is subtracted. */
export type Head = { q: Rows; k: Rows; v: Rows } & ({} | { q2: Rows; k2: Rows; lambda: number });

/** The queries of a head that shares its keys and values: kv is their index. */
export type SharingHead = { q: Rows; kv: number } & ({} | { q2: Rows; lambda: number });

/** Keys and values that heads share. */
export interface KeysAndValues {
  k: Rows;
  v: Rows;
  k2?: Rows;
}

/** Which tokens a token may attend to. */
export type Mask =
  | "none"
  | "causal"
  | { kind: "window"; width: number; causal?: boolean }
  | { kind: "prefix"; length: number }
  | { kind: "padding"; keys: (0 | 1)[]; causal?: boolean }
  | { kind: "allowed"; rows: (0 | 1)[][] };

/** The steps between projections and weights. */
export interface Score {
  scale?: number;
  softcap?: number;
  qk_norm?: { kind: "rms" | "layer" | "l2"; eps?: number; q_gain?: number | number[]; k_gain?: number | number[] };
  rope?: { base?: number; fraction?: number; layout?: "half" | "interleaved" };
  cosine_eps?: number;
  alibi?: { slopes?: number[] };
  bias?: Rows;
  value_norm?: { eps?: number };
}

/** How scores become weights. */
export type Weighting =
  | { kind: "softmax"; sink?: number | number[] | null }
  | { kind: "sigmoid"; bias?: number }
  | { kind: "relu"; divisor?: number }
  | { kind: "softplus"; divisor?: number };

/** One measurement. */
export interface Experiment {
  version?: 1;
  attention?: "dot" | "l2" | "cosine" | "linear";
  mask?: Mask;
  score?: Score;
  weighting?: Weighting;
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
  norm: "spectral" | "frobenius" | "linf" | "l1" | "max_token";
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
