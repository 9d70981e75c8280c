// Messages of proto/priority/v1 as JSON has them: 64-bit numbers as texts.

export interface Snapshot {
  cluster: string;
  generation: string;
  computedAt: string;
  policyVersion: string;
  staleFor?: string;
}
export interface Factors {
  age: number;
  assoc: number;
  fairShare: number;
  jobSize: number;
  partition: number;
  qos: number;
  tres: Record<string, number>;
  site: number;
  nice: number;
}
export interface RankedJob {
  jobId: string;
  partition: string;
  qos: string;
  priority?: number;
  rank: number;
  bestOfJob: boolean;
  user: string;
  account: string;
  contributions?: Factors;
  priorityTier: number;
}
// When PlanStarts says that it starts; expectedStart is unset where that is not within its window.
export interface PlannedStart {
  jobId: string;
  partition: string;
  expectedStart?: string;
  startsNow: boolean;
  reason: string;
  message: string;
  behindJobId: string;
  nodes: string[];
}
export interface IneligibleJob {
  jobId: string;
  partition: string;
  qos: string;
  reason: string;
  message: string;
  priority?: number;
  user: string;
  account: string;
  contributions?: Factors;
}
export interface RunningJob {
  jobId: string;
  partition: string;
  qos: string;
  user: string;
  account: string;
}
export interface RankJobsResponse {
  ranked: RankedJob[];
  ineligible: IneligibleJob[];
  running: RunningJob[];
  snapshot: Snapshot;
  asOf: string;
  rankedTotal: number;
  ineligibleTotal: number;
  runningTotal: number;
  ineligibleOthers: number;
}
export interface RowName {
  jobId: string;
  partition: string;
  qos: string;
}
export interface WatchRankingResponse {
  state?: { ranked: RankedJob[] };
  delta?: { entered: RankedJob[]; left: RowName[]; changed: { row: RankedJob; previousRank: number }[] };
  snapshot: Snapshot;
  asOf: string;
  rankedTotal: number;
  others: number;
}
export interface Share {
  associationId: string;
  account: string;
  parentAccount: string;
  user: string;
  partition: string;
  depth: number;
  rawShares?: number;
  parentShares: boolean;
  normShares: number;
  rawUsage: number;
  normUsage: number;
  effectiveUsage: number;
  levelFs?: number;
  levelFsInfinite: boolean;
  fairShare?: number;
  siblingRank: number;
  siblingCount: number;
}
export interface ListSharesResponse {
  shares: Share[];
  nextPageToken: string;
  snapshot: Snapshot;
  fairShareAlgorithm: string;
}
export interface FactorExplanation {
  name: string;
  rawInput: string;
  factor: number;
  weight: number;
  contribution: number;
  share: number;
}
export interface ComparedJob {
  jobId: string;
  user: string;
  account: string;
  priority?: number;
  ranked: boolean;
  ineligibleMessage: string;
}
export interface ComparedFactor {
  rawInput: string;
  factor: number;
  contribution: number;
}
export interface Comparison {
  job: ComparedJob;
  compareTo: ComparedJob;
  firstJobId: string;
  rule: string;
  factors: { name: string; weight: number; job: ComparedFactor; compareTo: ComparedFactor; difference: number }[];
  changes: { kind: string; possible: boolean; sentence: string }[];
  sentences: string[];
}
export interface Explanation {
  jobId: string;
  user: string;
  account: string;
  partition: string;
  qos: string;
  priority?: number;
  rank: number;
  rankedTotal: number;
  ineligibleReason: string;
  ineligibleMessage: string;
  factors: FactorExplanation[];
  sum: number;
  fairSharePath: Share[];
  fairShareAlgorithm: string;
  sentences: string[];
  snapshot: Snapshot;
  asOf: string;
  ahead: { rule: string; factor: string; rows: number }[];
  comparison?: Comparison;
  billing?: { rule: string; billing: number; usageFactor: number; usagePerSecond: number };
  plannedStart?: PlannedStart;
}
export interface Status {
  version: string;
  build: string;
  startedAt: string;
  uptime: string;
  address: string;
  leader: boolean;
  clockAhead?: string;
  clockAgrees: boolean;
  replicas: { name: string; address: string; version: string; leader: boolean; unseenFor?: string; answers: boolean }[];
  database?: {
    serverVersion: string;
    schemaVersion: number;
    lastError?: string;
    connections: number;
    connectionsInUse: number;
    waiting: number;
  };
  clusters: {
    cluster: string;
    generation: string;
    computedAt?: string;
    age?: string;
    period?: string;
    lateBy?: string;
    associations: string;
    eligibleJobs: string;
    ineligibleJobs: string;
    runningJobs: string;
  }[];
  ingest?: {
    acceptedPerSecond: number;
    duplicatesPerSecond: number;
    rejectedPerSecond: number;
    waitingRecords: string;
  };
  calls?: { callsPerSecond: number; errorsPerSecond: number; watchers: string };
  memory?: { residentBytes: string; requestBytes: string; budgetBytes: string };
  warnings: { reason: string; text: string; needsAction: boolean }[];
}
export interface Sample {
  associationId: string;
  account: string;
  user: string;
  partition: string;
  sampledAt: string;
  rawUsage: number;
  fairShare?: number;
}
export interface UsageRow {
  startTime: string;
  endTime: string;
  account: string;
  user: string;
  jobId: string;
  tresSeconds: Record<string, number>;
  wallSeconds: number;
}
export interface Policy {
  cluster: string;
  version: string;
  text: string;
  appliedAt: string;
  appliedBy: string;
  comment: string;
  parameters?: { timeZone: string; clock: string; all: PolicyParameter[] };
}
export interface PolicyParameter {
  name: string;
  value: string;
  defaultValue: string;
  description: string;
  actedOn: boolean;
}
export interface Place {
  rank: number;
  priority?: number;
  ineligibleReason: string;
}
export interface SimulatedRow {
  jobId: string;
  partition: string;
  qos: string;
  user: string;
  account: string;
  before?: Place;
  after?: Place;
}
export interface Simulated {
  rows: SimulatedRow[];
  rowsTotal: number;
  movedUp: number;
  movedDown: number;
  unmoved: number;
  rowsOthers: number;
  policyChanges: { parameter: string; before: string; after: string }[];
  snapshot: Snapshot;
  asOf: string;
  later: string;
}
export interface Changes {
  changes: { kind: string; object: string; before: string; after: string }[];
  created: string;
  updated: string;
  deleted: string;
  unchanged: string;
  warnings: string[];
  takesEffectAt?: string;
  etag: string;
}
export interface Association {
  id: string;
  account: string;
  user: string;
  partition: string;
  parentAccount: string;
  attributes: Record<string, string>;
  inherited: Record<string, string>;
}
export interface AuditEvent {
  id: string;
  time: string;
  principal: string;
  action: string;
  object: string;
  before: string;
  after: string;
  comment: string;
}
