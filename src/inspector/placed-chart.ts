/** A chart with a place for everything: what a layout gives, and what a drawing takes. */

import type { ChartNodeKind } from './chart.ts'

/** A place in pixels, from the upper left corner of the picture. */
export interface Point {
  /** From the left. */
  readonly x: number
  /** From the top. */
  readonly y: number
}

/** A rectangle in pixels. */
export interface Box extends Point {
  /** To the right of the corner. */
  readonly width: number
  /** Below the corner. */
  readonly height: number
}

/** A line of text in a state, below its title. */
export interface PlacedLine {
  /** What it says. */
  readonly text: string
  /** The transitions that it stands for; none for entry, exit and the like. */
  readonly edges: readonly string[]
}

/** A state as a box. Those within it come after it. */
export interface PlacedNode extends Box {
  /** As in the chart. */
  readonly id: string
  /** As in the chart. */
  readonly kind: ChartNodeKind
  /** Its key, or the letter of a history state. */
  readonly title: string
  /** Actions, actors, and transitions that leave it as it is. */
  readonly lines: readonly PlacedLine[]
  /** What its author wrote about it. */
  readonly description?: string
  /** Whether it is a region of a parallel state. */
  readonly isRegion: boolean
}

/** An arrow: every transition from one state to another. */
export interface PlacedEdge {
  /** Unique within the layout. */
  readonly id: string
  /** The id of the state that it leaves. */
  readonly source: string
  /** The id of the state that it leads to. */
  readonly target: string
  /** What it says, a line each, with the transitions that a line stands for. */
  readonly lines: readonly PlacedLine[]
  /** Where it bends, from its beginning to its tip. */
  readonly points: readonly Point[]
  /** Where its text stands; none for the arrow that leads to an initial state. */
  readonly label?: Box
  /** Whether it leads from the dot of a state to its initial state. */
  readonly isInitial: boolean
}

/** A chart with a place for everything. Plain data: it can be stored, sent and drawn elsewhere. */
export interface ChartLayout {
  /** The id of the machine. */
  readonly id: string
  /** Of the chart that it shows. */
  readonly digest: string
  /** Of the whole picture, in pixels. */
  readonly width: number
  /** Of the whole picture, in pixels. */
  readonly height: number
  /** Outermost first. */
  readonly nodes: readonly PlacedNode[]
  /** Dots from which arrows lead to initial states. */
  readonly dots: readonly Point[]
  /** Every arrow. */
  readonly edges: readonly PlacedEdge[]
}
