// Messages of proto/priority/v1 as JSON has them: 64-bit numbers as texts.
import type { Schemas } from './schemas';

type Message<Name extends string> = Schemas[`priority.v1.${Name}` & keyof Schemas];
type JobField =
  | 'name'
  | 'nodes'
  | 'cpus'
  | 'dependency'
  | 'reservation'
  | 'arrayTasks'
  | 'arrayTaskIds'
  | 'arrayJobId'
  | 'partitions';

export type Association = Message<'Association'>;
export type AuditEvent = Message<'AuditEvent'>;
export type Budget = Message<'Budget'>;
export type BudgetEvent = Message<'BudgetEvent'>;
export type BudgetPart = Message<'BudgetPart'>;
export type Changes = Message<'ChangeResponse'>;
export type Comparison = Message<'Comparison'>;
export type Explanation = Message<'ExplainPriorityResponse'>;
export type Factors = Message<'PriorityFactors'>;
export type ForecastScore = Message<'ForecastScore'>;
export type Grant = Message<'Grant'>;
export type GrantBalance = Message<'GrantBalance'>;
export type GrantEffect = Message<'GrantEffect'>;
export type GrantStatement = Message<'GetGrantStatementResponse'>;
export type GrantVersion = Message<'GrantVersion'>;
export type IneligibleJob = Message<'IneligibleJob'>;
// Callers may leave these out; the service does not.
export type Job = Message<'Job'> & Required<Pick<Message<'Job'>, JobField>>;
export type JobCost = Message<'JobCost'>;
export type Lease = Message<'Lease'>;
export type ListQosUsageResponse = Message<'ListQosUsageResponse'>;
export type ListSharesResponse = Message<'ListSharesResponse'>;
export type PlannedStart = Message<'PlannedStart'>;
export type Policy = Message<'Policy'>;
export type Qos = Message<'Qos'>;
export type QosUsage = Message<'QosUsage'>;
export type RankedJob = Message<'RankedJob'>;
export type RankJobsResponse = Message<'RankJobsResponse'>;
export type RowName = Message<'RankedRow'>;
export type Sample = Message<'ShareSample'>;
export type Share = Message<'AssociationShare'>;
export type Simulated = Message<'SimulateResponse'>;
export type SimulatedRow = Message<'SimulatedRow'>;
export type Snapshot = Message<'Snapshot'>;
export type StartForecast = Message<'StartForecast'>;
export type Status = Message<'GetStatusResponse'>;
export type SupposedGrantEffect = Message<'SupposedGrantEffect'>;
export type Tracked = Message<'TrackedJob'>;
export type UsageRow = Message<'UsageReportRow'>;
export type WatchRankingResponse = Message<'WatchRankingResponse'>;
