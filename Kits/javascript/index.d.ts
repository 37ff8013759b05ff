export interface Start {
  /** The executable, else the variable POSTERN, else `postern` on the PATH. */
  program?: string;
  /** An image of Postern, instead of a program. */
  image?: string;
  /** The program that starts the image: `docker` (the default) or `podman`. */
  runtime?: string;
  /** Further flags of `postern serve`. */
  flags?: string[];
  patienceMs?: number;
}

export interface SpaceOrder {
  name?: string;
  /** The gateway that a route of `postern proxy --spaces` leads to. */
  upstream?: string;
  /** Options of `postern serve`, or of `postern proxy`. */
  settings?: Record<string, unknown>;
  frozen?: boolean;
  seed?: number;
  idle_s?: number;
  port?: number;
}

/** A line of the journal: these members, and those of its kind. */
export interface Line {
  n: number;
  kind: string;
  at_ms: number;
  real_ms: number;
  user?: string;
  connection?: string;
  dialect?: string;
  [member: string]: unknown;
}

export interface Moved {
  answered: boolean;
  owing: { user_id: string; [member: string]: unknown }[];
  cut_off: number;
  moved_s: number;
  [member: string]: unknown;
}

export class Postern {
  static start(options?: Start): Promise<Postern>;
  static at(controlURL: string): Postern;
  readonly controlURL: string;
  space(order?: SpaceOrder): Promise<Space>;
  stop(): Promise<void>;
}

export class Space {
  readonly name: string;
  readonly httpURL: string;
  /** The token endpoint, for clients that fetch their tokens themselves. */
  readonly tokenURL: string;
  /** The URL of sockets, without a path. */
  readonly url: string;
  readonly urls: Record<string, string>;
  token(user: string, lifeSeconds?: number): Promise<string>;
  environment(user: string, dialect?: string): Promise<Record<string, string>>;
  expire(user: string): Promise<unknown>;
  askForRefresh(user: string): Promise<unknown>;
  disconnect(user: string, code?: number, reason?: string): Promise<unknown>;
  say(user: string, message: string | Uint8Array): Promise<unknown>;
  revoke(user: string): Promise<unknown>;
  fail(fault: { fault: string; [member: string]: unknown }): Promise<unknown>;
  advance(seconds: number, more?: Record<string, unknown>): Promise<Moved>;
  setWall(date: string): Promise<unknown>;
  journal(query?: Record<string, string | number>): Promise<Line[]>;
  mark(): Promise<number>;
  happens(kind: string, options?: { user?: string; after?: number; count?: number; withinMs?: number }): Promise<Line[]>;
  end(): Promise<unknown>;
}

export function withSpace(postern: () => Postern, order: SpaceOrder, body: (space: Space) => Promise<void>): () => Promise<void>;
