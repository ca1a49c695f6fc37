// The look of a page. Colours are those of Okabe and Ito, which people who see colours differently tell apart; nothing
// is said by colour alone.
#include "report/sections.hpp"

namespace manychain::report {

const char* const style = R"css(
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1b1b; --faint: #5c5c5c; --rule: #d4d4d4; --area: #8fb8d8;
  --blue: #0072b2; --orange: #b84a00; --band: #cfe1ef; --good: #00704f; --panel: #f6f6f4; --shade: #0005; }
@media (prefers-color-scheme: dark) { :root { --paper: #16181b; --ink: #e8e8e6; --faint: #a9adb2; --rule: #3d4147;
  --area: #2d6a97; --blue: #8ccbf5; --orange: #ffab5c; --band: #213b4f; --good: #4fd3a5; --panel: #1f2226; --shade: #fff6; } }
@media print { :root { color-scheme: light; --paper: #fff; --ink: #000; --faint: #444; --rule: #bbb; --area: #8fb8d8;
  --blue: #005b8f; --orange: #a04000; --band: #cfe1ef; --good: #00573d; --panel: #fff; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
main { max-width: 1060px; margin: 0 auto; padding: 1.5rem 1.25rem 3rem; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0; overflow-wrap: break-word; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 0.6rem; padding-bottom: 0.2rem; border-bottom: 1px solid var(--rule); }
h3 { font-size: 1rem; margin: 1.4rem 0 0.3rem; overflow-wrap: break-word; }
p { margin: 0.4rem 0; overflow-wrap: break-word; }
code { font: 0.9em ui-monospace, Menlo, Consolas, "Liberation Mono", monospace; }
.subtitle, .note, footer { color: var(--faint); }
.note, footer { font-size: 0.87rem; }
.warn { color: var(--orange); font-weight: 600; }
footer { margin-top: 2.5rem; border-top: 1px solid var(--rule); padding-top: 0.5rem; }
#verdict { margin: 1.2rem 0; padding: 0.7rem 1rem; background: var(--panel); border: 1px solid var(--rule); border-left: 6px solid var(--good); }
#verdict.doubtful, #verdict.failed { border-left-color: var(--orange); }
#verdict.failed { border-left-style: double; }
#verdict .headline { font-size: 1.08rem; font-weight: 600; margin: 0; }
#verdict ul { margin: 0.5rem 0 0; padding-left: 1.2rem; }
#verdict li { margin: 0.35rem 0; }
.advice { color: var(--faint); }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 0.5rem 1.5rem; margin: 0.5rem 0 0.9rem; }
.facts dt { font-size: 0.8rem; color: var(--faint); }
.facts dd { margin: 0; overflow-wrap: break-word; }
.facts div { min-width: 0; }
details { margin: 0.6rem 0; }
summary { cursor: pointer; color: var(--faint); }
.option { white-space: nowrap; }
/* A table that is wider than its box: a shadow on each side behind which it goes on. Covers that move with the table
   hide the shadow where it ends. */
.wide { overflow-x: auto; background:
  linear-gradient(to right, var(--paper) 40%, transparent) left top / 3rem calc(100% + 2px) no-repeat local,
  linear-gradient(to left, var(--paper) 40%, transparent) right top / 3rem calc(100% + 2px) no-repeat local,
  linear-gradient(to right, var(--shade), transparent) left / 1.2rem 100% no-repeat scroll,
  linear-gradient(to left, var(--shade), transparent) right / 1.2rem 100% no-repeat scroll; }
.hint { visibility: hidden; max-height: 0; margin: 0; color: var(--faint); font-size: 0.87rem; }
/* Words, too. A browser that knows timelines shows them exactly where there is something to scroll: only there the
   timeline runs. */
@supports (animation-timeline: scroll()) {
  .scrolling { timeline-scope: --table; } .wide { scroll-timeline: --table inline; }
  .hint { animation: shown linear; animation-timeline: --table; } @keyframes shown { from, to { visibility: visible; max-height: 5em; } } }
@supports not (animation-timeline: scroll()) { @media screen and (max-width: 760px) { .hint { visibility: visible; max-height: 5em; } } }
table { border-collapse: separate; border-spacing: 0; font-variant-numeric: tabular-nums; font-size: 0.9rem; }
th, td { padding: 0.18rem 0.6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--rule); }
thead th { font-weight: 600; color: var(--faint); }
tbody th { text-align: left; font-weight: 500; padding-left: 0; }
.quantities th[scope=row], .quantities thead td { position: sticky; left: 0; background: var(--paper); }
.quantities th[scope=row] a { display: inline-block; width: max-content; max-width: 17rem; white-space: normal; }
.said td, .said th { text-align: left; white-space: normal; vertical-align: top; }
.said td { overflow-wrap: anywhere; }
.hidden span { position: sticky; left: 0; }
.hidden td { text-align: left; color: var(--faint); padding-left: 0; }
.bad { color: var(--orange); font-weight: 700; }
.bad::before { content: "! "; }
a { color: var(--blue); text-decoration: none; }
a:hover, a:focus { text-decoration: underline; }
.quantity { break-inside: avoid; }
.pictures { display: flex; flex-wrap: wrap; align-items: flex-end; gap: 0.6rem 1rem; }
figure { margin: 0; max-width: 100%; }
figcaption { font-size: 0.87rem; width: 0; min-width: 100%; }
.narrow { display: none; }
svg { display: block; max-width: 100%; height: auto; }
svg text { fill: var(--faint); font: 12px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
svg .tick, svg .middle { text-anchor: middle; }
svg .ytick { text-anchor: end; }
.axis { stroke: var(--faint); stroke-width: 1; fill: none; }
.bar { fill: var(--area); stroke: none; }
.observed { fill: var(--band); stroke: var(--faint); stroke-width: 1; }
.band { fill: var(--band); stroke: none; }
.overall { fill: none; stroke: var(--blue); stroke-width: 2.2; stroke-linejoin: round; }
.group { fill: none; stroke: var(--faint); stroke-width: 0.8; opacity: 0.6; }
.farthest { fill: none; stroke: var(--ink); stroke-width: 1.8; stroke-linejoin: round; }
.second { fill: none; stroke: var(--orange); stroke-width: 1.8; }
.level { fill: none; stroke: var(--ink); stroke-width: 1; stroke-dasharray: 2 3; }
.limit { fill: none; stroke: var(--orange); stroke-width: 1.5; stroke-dasharray: 5 3; }
.interval { fill: none; stroke: var(--blue); stroke-width: 2; }
.median { fill: none; stroke: var(--blue); stroke-width: 2; }
.mean { fill: var(--blue); stroke: none; }
.ninety { fill: none; stroke: var(--blue); stroke-width: 1.2; }
.fifty { fill: none; stroke: var(--blue); stroke-width: 3.6; }
.data { fill: none; stroke: var(--ink); stroke-width: 2.4; stroke-linecap: round; }
.far { stroke: var(--orange); stroke-width: 3.8; }
.seen { fill: var(--paper); stroke: var(--ink); stroke-width: 1.4; }
.outside { fill: var(--orange); stroke: var(--orange); }
@media screen and (max-width: 760px) { .quantities th[scope=row] a { max-width: 38vw; } }
@media screen and (max-width: 720px) { .broad { display: none; } .narrow { display: block; } }
@media print { body { font-size: 10pt; } main { max-width: none; padding: 0; } h2, h3 { break-after: avoid; }
  table, figcaption { font-size: 8pt; } .wide { overflow: visible; background: none; } .hint { animation: none; }
  .pictures figure { width: 31%; } .pictures .broad { width: 64%; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; } }
)css";

}  // namespace manychain::report
