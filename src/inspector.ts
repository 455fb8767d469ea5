/** `stele/inspector`: watching machines, and drawing them. Named re-exports only. */

export type { Json, JsonObject } from './base/json.ts'

// ── Watching: what actors do, as frames ─────────────────────────────────────────────────────────

export type { Logger, LogLine } from './base/logger.ts'
export type {
  Cancel,
  Clock,
  Duration,
  DurationUnit,
  Instant,
  Milliseconds,
  Purpose,
  Scheduler,
} from './base/time.ts'
export type {
  ActorFrame,
  EventFrame,
  Frame,
  FrameBase,
  FrameEvent,
  FrameNotes,
  FrameSnapshot,
  OnFrame,
  SnapshotFrame,
} from './inspector/frame.ts'
export type { Redact, Redacted } from './inspector/frame-values.ts'
export type { HistoryOptions, HistoryStep } from './inspector/history.ts'
export {
  type InspectExecutionOptions,
  type InspectedEngine,
  type InspectedHandle,
  inspectExecution,
} from './inspector/inspect-execution.ts'
export { type InspectorOptions, inspector, type StatelyInspector } from './inspector/inspector.ts'

export type { Playback } from './inspector/playback.ts'

// ── Drawing: a machine as data, as text, as a picture ───────────────────────────────────────────

export {
  activeStates,
  type Chart,
  type ChartEdge,
  type ChartInvocation,
  type ChartNode,
  type ChartNodeKind,
  type ChartOptions,
  type ChartTrigger,
  chartOf,
} from './inspector/chart.ts'
export {
  type ChartLayouts,
  type ChartLayoutsOptions,
  createChartLayouts,
} from './inspector/chart-layout.ts'
export { type ChartStep, takenEdges } from './inspector/chart-path.ts'
export { type ChartMarks, svgOf } from './inspector/chart-svg.ts'
export { type Definition, definitionOf, type Lost } from './inspector/definition.ts'
export { mermaidOf } from './inspector/mermaid.ts'
export type {
  Box,
  ChartLayout,
  PlacedEdge,
  PlacedLine,
  PlacedNode,
  Point,
} from './inspector/placed-chart.ts'
export { type StudioExport, studioOf } from './inspector/studio.ts'

// ── The viewer: a local page that shows what an engine does, or did ─────────────────────────────

export type { Codec } from './base/codec.ts'
export type { Random } from './base/random.ts'
export type { Result } from './base/result.ts'
export type { StorageEnvironment, StorageFactory } from './client/engine-options.ts'
export { openViewer, type Viewer } from './inspector/server/open-viewer.ts'
export type { ViewerOptions } from './inspector/server/viewer-options.ts'
export type { ViewingOptions } from './inspector/viewing.ts'
export type { Driver, WriteProtocol } from './storage/driver.ts'
export type {
  Answers,
  Call,
  Calls,
  Protocol,
  Row,
  SqlValue,
  Statement,
} from './storage/protocol.ts'
