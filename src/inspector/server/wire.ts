/**
 * What server and viewer say to each other, as JSON. Types alone, and none of anybody else's: the
 * browser's half must not know the rest of the house. Instants are milliseconds since 1970.
 */

/** What the viewer looks at. */
export interface InfoAnswer {
  /** The engine in this process, or the database of engines elsewhere. */
  readonly source: 'engine' | 'database'
  /** Name of what is looked at. */
  readonly name: string
  /** Whether the viewer may do more than look. */
  readonly actions: boolean
  /** The clock of the server: the browser's may be wrong. */
  readonly now: number
}

/** One line of the list. */
export interface ExecutionLine {
  readonly id: string
  readonly kind: string
  readonly functionName: string
  readonly functionVersion: string
  readonly parentId?: string
  readonly status: 'pending_at' | 'locked' | 'blocked' | 'finished'
  readonly paused: boolean
  readonly cancelling: boolean
  readonly version: number
  readonly attempt: number
  readonly createdAt: number
  readonly scheduledAt?: number
  readonly finishedAt?: number
  readonly outcomeType?: 'ok' | 'err' | 'execution_failure'
  readonly failureKind?: string
  readonly setAside?: string
}

/** A page of the list. */
export interface ListAnswer {
  readonly items: readonly ExecutionLine[]
  /** Where the next page begins; absent on the last one. */
  readonly next?: string
  /** The page ended before it was full: this much of the past was searched. */
  readonly searchedTo?: number
  readonly now: number
}

/** A value of a user as text, cut if it is long. */
export interface ShownValue {
  readonly name: string
  readonly text: string
  /** Characters that are not shown. */
  readonly cut?: number
}

/** Why an execution is where it is. */
export interface ShownExplanation {
  readonly summary: string
  readonly waitingFor: string
  readonly since: number
  readonly heldBy?: {
    readonly executorId: string
    readonly runId: string
    readonly until: number
    readonly host?: string
    readonly pid?: number
    readonly alive: boolean
  }
  readonly nextWakeAt?: number
  readonly problems: readonly string[]
}

/** One execution. */
export interface ExecutionAnswer {
  readonly line: ExecutionLine
  readonly explanation: ShownExplanation
  readonly reason?: string
  readonly lockExpiresAt?: number
  readonly executorId?: string
  readonly runId?: string
  readonly deploymentId: string
  readonly scheduledBy?: string
  readonly metadata: readonly ShownValue[]
  readonly input: ShownValue
  /** How it ended: the value, or reason and detail. */
  readonly outcome?: readonly ShownValue[]
  readonly isStub: boolean
  readonly now: number
}

/** One event. */
export interface EventLine {
  readonly version: number
  readonly createdAt: number
  readonly type: string
  /** The most telling of its fields, on one line. */
  readonly summary: string
  readonly fields: readonly ShownValue[]
  readonly httpTraces?: readonly TraceLine[]
  /** The call that caused it, where its engine recorded source lines. */
  readonly source?: CodePlace
}

/** Where a call stands. */
export interface CodePlace {
  readonly file: string
  /** From 1, and so is the column. */
  readonly line: number
  readonly column: number
  /** Names the text of the file. */
  readonly hash: string
}

/** Lines of a source file around one; none when the text is not there. */
export interface CodeAnswer {
  /** Number of the first line given. */
  readonly from: number
  readonly lines: readonly string[]
}

/** One HTTP request of an attempt. */
export interface TraceLine {
  readonly method: string
  readonly origin: string
  readonly path: string
  readonly queryKeys: readonly string[]
  readonly status?: number
  readonly error?: string
  readonly startedAt: number
  readonly finishedAt?: number
}

/** Part of a log. */
export interface EventsAnswer {
  readonly events: readonly EventLine[]
}

/** One response. */
export interface ResponseLine {
  readonly cursor: number
  readonly createdAt: number
  readonly joinSetId: string
  readonly type: string
  readonly summary: string
  readonly fields: readonly ShownValue[]
  /** The child or the delay that it speaks of. */
  readonly about?: string
}

/** Part of an inbox. */
export interface ResponsesAnswer {
  readonly responses: readonly ResponseLine[]
  readonly next?: number
}

/** A line that a function logged. */
export interface LogLine {
  readonly lineId: number
  readonly runId: string
  readonly createdAt: number
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields?: ShownValue
}

/** Part of what was logged. */
export interface LogsAnswer {
  readonly lines: readonly LogLine[]
  readonly next?: number
}

/** An execution with what is below it. */
export interface TreeNode {
  readonly line: ExecutionLine
  readonly children: readonly TreeNode[]
  /** There are more children than are shown. */
  readonly hidden: boolean
}

/** Children and open delays of an execution, and its parent. */
export interface TreeAnswer {
  readonly tree: TreeNode
  readonly delays: readonly {
    readonly id: string
    readonly dueAt: number
    readonly paused: boolean
  }[]
  readonly now: number
}

/** One line of a timeline. */
export interface TimelineRow {
  readonly id: string
  readonly name: string
  readonly depth: number
  readonly attempt: number
  readonly stretches: readonly {
    readonly doing: string
    readonly from: number
    readonly to: number
  }[]
  readonly marks: readonly { readonly kind: string; readonly at: number }[]
  readonly outcome: string
  readonly end: 'ok' | 'err' | 'cancelled' | 'open'
  /** The execution and its children; of many children only the first are shown. */
  readonly hidden: boolean
}

/** An execution and its children, drawn over time. */
export interface TimelineAnswer {
  readonly rows: readonly TimelineRow[]
  readonly from: number
  readonly to: number
  /** When anything happened last; from then on it only waits. */
  readonly lastAt: number
  readonly now: number
}

/** An executor, as its database knows it. */
export interface ExecutorLine {
  readonly executorId: string
  readonly deploymentId: string
  readonly kind: string
  readonly functions: readonly string[]
  readonly host: string
  readonly pid: number
  readonly startedAt: number
  readonly lastBeatAt: number
  readonly stoppedAt?: number
  readonly alive: boolean
  /** What it holds; the number beyond those that are named. */
  readonly held: readonly {
    readonly id: string
    readonly functionName: string
    readonly attempt: number
    readonly lockExpiresAt: number
  }[]
  readonly heldMore: number
  /** Runs that it may have at once, and how many more it could take; of this process only. */
  readonly permits?: { readonly total: number; readonly free: number }
  /** For how long the execution that is due first has been waiting. */
  readonly lag?: number
}

/** The executors that were heard of last. */
export interface ExecutorsAnswer {
  readonly executors: readonly ExecutorLine[]
  readonly now: number
}

/** A function that some engine has registered. */
export interface FunctionLine {
  readonly kind: string
  readonly name: string
  readonly version: string
  readonly firstSeenAt: number
  readonly lastSeenAt: number
}

/** Every function that engines have registered. */
export interface FunctionsAnswer {
  readonly functions: readonly FunctionLine[]
}

/** A request that was refused, or failed. */
export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string }
}

/** Executions have changed; with `more`, others as well. */
export interface ChangesMessage {
  readonly type: 'changes'
  readonly ids: readonly string[]
  readonly more: boolean
}

/** Messages were dropped, because the viewer did not read them: everything may have changed. */
export interface DroppedMessage {
  readonly type: 'dropped'
  readonly count: number
}

/** What the server sends by itself. */
export type LiveMessage = ChangesMessage | DroppedMessage

/** A place in pixels, from the upper left corner of a chart. */
export interface ChartPoint {
  readonly x: number
  readonly y: number
}

/** A line of text of a chart, with the transitions that it stands for. */
export interface ChartText {
  readonly text: string
  readonly edges: readonly string[]
}

/** A statechart with a place for everything. */
export interface PlacedChart {
  readonly id: string
  readonly width: number
  readonly height: number
  /** Outermost first. */
  readonly nodes: readonly {
    readonly id: string
    readonly kind: string
    readonly title: string
    readonly lines: readonly ChartText[]
    readonly description?: string
    readonly isRegion: boolean
    readonly x: number
    readonly y: number
    readonly width: number
    readonly height: number
  }[]
  readonly dots: readonly ChartPoint[]
  readonly edges: readonly {
    readonly id: string
    readonly lines: readonly ChartText[]
    readonly points: readonly ChartPoint[]
    readonly label?: ChartPoint & { readonly width: number; readonly height: number }
  }[]
}

/** The chart of an execution, and where it stood after each event. */
export interface ChartAnswer {
  readonly chart: PlacedChart
  /** Sets of states that were active together, by number. */
  readonly actives: readonly (readonly string[])[]
  /** For each version, the number of the set that was active after it. */
  readonly activeAt: readonly number[]
  /** Sets of transitions that were taken together, by number. */
  readonly takens: readonly (readonly string[])[]
  /** For each version, the number of the set of transitions that it took. */
  readonly takenAt: readonly number[]
}

/** The machines that an engine is made of, and those of its users, drawn. */
export interface MachinesAnswer {
  readonly machines: readonly {
    readonly name: string
    readonly about: string
    readonly chart: PlacedChart
  }[]
}
