/** An execution with its children, theirs, and the delays that are still open. */

import type { JSX } from 'preact'
import type { TreeAnswer, TreeNode } from '../server/wire.ts'
import { questionOf } from './api.ts'
import { formatInstant } from './clock.ts'
import { formatAge, formatDuration, ownPart } from './format.ts'
import { about, useAnswer, useNow } from './hooks.ts'
import { Empty, ExecutionLink, Loading, Problem, Status } from './parts.tsx'

/** The tree. */
export function TreeView({ id }: { readonly id: string }): JSX.Element {
  const { answer, error } = useAnswer<TreeAnswer>(questionOf('tree', { id }), about(id))
  const now = useNow()
  if (answer === undefined) return error === undefined ? <Loading /> : <Problem error={error} />
  const { tree, delays } = answer
  if (tree.children.length === 0 && delays.length === 0) {
    return <Empty title="It has no children, and no delay is open." />
  }
  return (
    <div class="scroll tree">
      <ul>
        <Node node={tree} parentId={undefined} />
      </ul>
      {delays.length > 0 && (
        <>
          <h3>Open delays</h3>
          <ul>
            {delays.map(({ id: delayId, dueAt, paused }) => (
              <li key={delayId}>
                <span class="id" title={delayId}>
                  {ownPart(delayId.replace(/^Delay_/, ''), id)}
                </span>{' '}
                <span class="faint" title={formatInstant(dueAt)}>
                  {paused ? 'paused' : formatAge(dueAt, now)}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

function Node(props: {
  readonly node: TreeNode
  readonly parentId: string | undefined
}): JSX.Element {
  const { node, parentId } = props
  const { id, functionName, createdAt, finishedAt } = node.line
  return (
    <li>
      <div class="node">
        <Status line={node.line} />
        <span class="name" title={functionName}>
          {functionName}
        </span>
        <ExecutionLink id={id} text={ownPart(id, parentId)} />
        {finishedAt !== undefined && (
          <span class="faint">{formatDuration(finishedAt - createdAt)}</span>
        )}
      </div>
      {node.children.length > 0 && (
        <ul>
          {node.children.map((child) => (
            <Node key={child.line.id} node={child} parentId={id} />
          ))}
        </ul>
      )}
      {node.hidden && <p class="faint">… and more children that were not read</p>}
    </li>
  )
}
