"""Look of pages with results, and the script that opens a motion in another file."""

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 0; color: #1d2329; background: #fff; }
header { padding: 1rem 2rem; background: #f3f5f7; border-bottom: 1px solid #d5dae0; }
main { padding: 0 2rem 2rem; max-width: 1700px; }
h1 { font-size: 1.5rem; margin: .3rem 0; } h2 { font-size: 1.15rem; margin: 1.6rem 0 .6rem; }
h3 { font-size: 1rem; } p { margin: .4rem 0; } small { color: #5b6670; }
table { border-collapse: collapse; font-size: .92em; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; }
th { border-bottom: 2px solid #b9c1ca; } td { border-bottom: 1px solid #e2e6ea; }
tfoot td { border-top: 2px solid #b9c1ca; font-weight: bold; }
.number { text-align: right; white-space: nowrap; }
.pair { display: grid; grid-template-columns: minmax(320px, 5fr) 7fr; gap: 1.5rem; }
.drawing { position: sticky; top: 1rem; align-self: start; } .drawing img { width: 100%; }
.claims { align-self: start; } .claims td:nth-child(4) { white-space: nowrap; }
.claims p, details { font-size: .9em; color: #47525c; }
details { margin: .1rem 0; } summary { cursor: pointer; }
.badge, .chip { display: inline-block; border-radius: 4px; padding: .05rem .45rem;
  margin: 0 .3rem .3rem 0; white-space: nowrap; font-size: .88em; text-decoration: none; }
.v0 { background: #d8f0dc; color: #12521f; } .v1 { background: #fdeecb; color: #6b4a00; }
.v2 { background: #f9d4d1; color: #7c130b; } .v3 { background: #e4e7eb; color: #444d56; }
.explained { border-left: 3px solid #e3b341; padding-left: .6rem; }
.warning { color: #6b4a00; font-size: .85em; }
.why, pre { background: #f3f5f7; padding: .6rem; overflow: auto; font-size: .85em; }
.why { white-space: pre-wrap; }
code { background: #eef1f4; padding: 0 .2em; border-radius: 3px; }
button { font: inherit; border: 1px solid #b9c1ca; border-radius: 4px; background: #fff;
  padding: .15rem .6rem; cursor: pointer; }
.player iframe { width: 100%; height: 420px; border: 1px solid #d5dae0; }
@media (max-width: 900px) { .pair { grid-template-columns: 1fr; } .drawing { position: static; } }
"""

SCRIPT = """
for (const button of document.querySelectorAll("button[data-page]"))
  button.addEventListener("click", () => {
    const frame = document.createElement("iframe");
    frame.src = button.dataset.page;
    button.closest(".drawing").querySelector(".player").replaceChildren(frame);
  });
"""
