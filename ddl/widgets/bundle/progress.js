var O="The kernel is gone, so nothing can be computed anew. What you see is what it computed last: run the cell again to go on.",j="The kernel has not answered yet: it is busy with another cell, or gone.";var M=`
.ddl-widget { --ddl-ink: #222222; --ddl-soft: #565656; --ddl-paper: #ffffff; --ddl-line: #8a8a8a; --ddl-panel: #f3f3f3;
  --ddl-blue: #00588a; --ddl-rust: #9c3d00; --ddl-given: #e1edf6; --ddl-result: #fdeed3; --ddl-focus: #005fcc;
  background: var(--ddl-paper); color: var(--ddl-ink); font: 14px/1.45 system-ui, sans-serif; padding: 8px; }
.ddl-widget[data-ddl-theme="dark"] { --ddl-ink: #e8e8e8; --ddl-soft: #b4b4b4; --ddl-paper: #161616; --ddl-line: #7d7d7d;
  --ddl-panel: #262626; --ddl-blue: #7cc4f2; --ddl-rust: #ffa366; --ddl-given: #12303f; --ddl-result: #3f2f10;
  --ddl-focus: #8ec7ff; color-scheme: dark; }
.ddl-widget :focus-visible { outline: 3px solid var(--ddl-focus); outline-offset: 2px; }
.ddl-widget button, .ddl-widget input, .ddl-widget select { font: inherit; color: var(--ddl-ink);
  background: var(--ddl-panel); border: 1px solid var(--ddl-line); border-radius: 4px; padding: 2px 8px; }
.ddl-fault:not(:empty) { margin: 8px 0 0; padding: 6px 10px; white-space: pre-wrap; overflow-wrap: anywhere;
  border-left: 4px solid var(--ddl-rust); background: var(--ddl-panel); color: var(--ddl-rust); }
.ddl-status:not(:empty) { margin: 8px 0 0; color: var(--ddl-soft); }
.ddl-fault:empty, .ddl-status:empty { margin: 0; }
.ddl-words { margin-top: 8px; } .ddl-words summary { cursor: pointer; width: fit-content; }
.ddl-words pre { font: 13px/1.45 "DejaVu Sans Mono", ui-monospace, monospace; margin: 4px 0 0; max-height: 16em;
  overflow: auto; color: inherit; background: none; }`;function g(e,n,t){let r=document.createElement(e);return r.className=n,t?.append(r),r}function W(e){let n=matchMedia("(prefers-color-scheme: dark)"),t=()=>{let{jpThemeLight:d,vscodeThemeKind:a}=document.body.dataset,l=d?d==="false":a?/dark|black/.test(a):n.matches;e.dataset.ddlTheme=l?"dark":"light"},r=new MutationObserver(t);return r.observe(document.body,{attributes:!0}),n.addEventListener("change",t),t(),()=>(r.disconnect(),n.removeEventListener("change",t))}var P=({key:e,ctrlKey:n,metaKey:t,altKey:r,shiftKey:d})=>!(n||t||r||d&&e==="Enter");function _(e,n,t){let r=new Map,d=(l,c)=>{let{resolve:p,timer:b}=r.get(l)??{};clearTimeout(b),r.delete(l)&&(r.size||t(""),p(c))},a=()=>{for(let l of[...r.keys()])d(l,!1);t(O)};return e.on("msg:custom",({answered:l,fault:c})=>d(l,!c)),e.on("comm_live_update",()=>r.size&&!n()&&a()),l=>new Promise(c=>{let p=crypto.getRandomValues(new Uint32Array(2)).join("-");if(r.set(p,{resolve:c,timer:setTimeout(()=>t(j),1500)}),!n())return a();try{e.send({ask:l,number:p})}catch{a()}})}function E(e,n){return{render({model:t,el:r}){let d=g("section","ddl-widget");d.setAttribute("aria-label",n),d.addEventListener("keydown",s=>P(s)&&s.stopPropagation()),g("style","",d).textContent=M;let a=g("div","ddl-view",d),l=g("p","ddl-fault",d),c=g("p","ddl-status",d);l.setAttribute("role","alert"),c.setAttribute("role","status");let p=g("details","ddl-words",d);g("summary","",p).textContent="In words";let b=g("pre","",p);b.tabIndex=0,r.replaceChildren(d);let x=s=>c.textContent=s,u=s=>(...m)=>{try{return s(...m)}catch($){console.error($),l.textContent=`The view could not be drawn, but the words below are right. ${$}`,p.open=!0}},h=new Map,v={get:s=>t.get(s),on:(s,m)=>t.on(s,h.set(m,u(m)).get(m)),off:(s,m)=>t.off(s,h.get(m))},w=_(t,()=>!r.closest(".jupyter-widgets-disconnected"),x),f=()=>{b.textContent=t.get("words"),l.textContent=t.get("fault")};t.on("change:words",f),t.on("change:fault",f),f();let i=[W(d),u(e)({model:v,el:a,ask:w})];return()=>i.forEach(s=>s?.())}}}function o(e,n={},...t){let r=document.createElement(e);for(let[d,a]of Object.entries(n))d.startsWith("on")?r.addEventListener(d.slice(2),a):a===!0?r.setAttribute(d,""):a!==!1&&a!=null&&r.setAttribute(d,a);return r.append(...t.flat().filter(d=>d!=null&&d!==!1)),r}var U=new ResizeObserver(e=>e.forEach(({target:n})=>D(n)));function D(e){e.scrollHeight>e.clientHeight+1||e.scrollWidth>e.clientWidth+1?e.tabIndex=0:e.removeAttribute("tabindex")}function A(e,n,t,r){let d=n.map(l=>Array.isArray(l)?l:[l,l]),a=o("select",{"aria-label":e},d.map(([l,c])=>o("option",{value:l,selected:String(l)===String(t)},c)));return a.addEventListener("change",()=>r(a.value)),{element:o("label",{class:"ddl-field"},o("span",{},e),a),input:a,get value(){return a.value},set value(l){a.value=l}}}function y(e,n,t={}){let d=o("button",{type:"button",onclick:async a=>{let l=n(a);l instanceof Promise&&(d.setAttribute("aria-busy","true"),await l,d.removeAttribute("aria-busy"))},...t},e);return d}var N=(e,...n)=>o("div",{class:"ddl-fields-row",role:"group","aria-label":e},n.map(t=>t.element??t));var S=`.ddl-widget { --ddl-c0: #00588a; --ddl-c1: #b34700; --ddl-c2: #007a5a; --ddl-c3: #a0457f; --ddl-c4: #6b6b00; --ddl-c5: #555555; }
.ddl-widget[data-ddl-theme="dark"] { --ddl-c0: #7cc4f2; --ddl-c1: #ffa366; --ddl-c2: #5fd3ae; --ddl-c3: #f0a0d0; --ddl-c4: #d6d65c; --ddl-c5: #bdbdbd; }
.ddl-kit * { box-sizing: border-box; }
.ddl-kit [hidden] { display: none; }
.ddl-kit { overflow-wrap: anywhere; }
.ddl-fields-row { display: flex; flex-wrap: wrap; gap: 6px 16px; align-items: center; margin: 0 0 8px; }
.ddl-field { display: inline-flex; gap: 6px; align-items: center; margin: 0; }
.ddl-field input[type="range"] { accent-color: var(--ddl-blue); width: 130px; padding: 0; }
.ddl-field input[type="checkbox"] { accent-color: var(--ddl-blue); width: 17px; height: 17px; margin: 0; }
.ddl-field output { min-width: 3.5em; font-variant-numeric: tabular-nums; }
.ddl-kit button { min-height: 28px; cursor: pointer; }
.ddl-kit button[aria-busy] { cursor: progress; border-style: dashed; }
.ddl-kit button:disabled { opacity: 0.45; cursor: default; }
.ddl-row-of { display: flex; flex-wrap: wrap; gap: 12px; align-items: flex-start; }
.ddl-chart { display: block; max-width: 100%; height: auto; }
.ddl-chart text { font: 12px system-ui, sans-serif; fill: var(--ddl-soft); }
.ddl-chart .ddl-axis { fill: var(--ddl-ink); }
.ddl-axes line { stroke: var(--ddl-line); } .ddl-axes rect { fill: none; stroke: var(--ddl-line); }
.ddl-axes .ddl-rule { stroke-opacity: 0.25; }
.ddl-line { fill: none; stroke-width: 2; }
.ddl-legend { display: flex; flex-wrap: wrap; gap: 4px 16px; list-style: none; margin: 4px 0; padding: 0; }
.ddl-legend li { margin: 0; }
.ddl-kit table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 4px 0; }
.ddl-kit th, .ddl-kit td { padding: 2px 10px 2px 0; text-align: left; border: 0; background: none; color: inherit; }
.ddl-kit th { font-weight: 600; border-bottom: 1px solid var(--ddl-line); }
.ddl-kit h3 { font-size: 15px; margin: 8px 0 4px; }
.ddl-kit p { margin: 4px 0; }
.ddl-alarm { color: var(--ddl-rust); border-left: 4px solid var(--ddl-rust); padding: 2px 0 2px 8px; }
`;var C=`.ddl-kit .ddl-tiles th { border: 0; vertical-align: top; white-space: nowrap; padding-top: 7px; } .ddl-tiles .ddl-kind { font-weight: 400; color: var(--ddl-soft); font-size: 12px; }
.ddl-tile { display: inline-flex; flex-direction: column; align-items: center; min-width: 68px; margin: 2px; padding: 2px 6px; border: 1px solid var(--ddl-line); border-radius: 3px; cursor: pointer; white-space: nowrap; font-size: 13px; line-height: 1.3; }
.ddl-tile small { font-size: 10px; }
.ddl-tile.ddl-solved { background: var(--ddl-c2); border-color: var(--ddl-c2); color: var(--ddl-paper); } .ddl-tile.ddl-tried { border: 1px dashed var(--ddl-c1); }
.ddl-tile.ddl-here { box-shadow: 0 0 0 2px var(--ddl-ink); }
`;var H={solved:"✓",tried:"…",open:""},L=({passed:e,tries:n})=>e?"solved":n?"tried":"open",T=(e,n,t)=>`${e} ${e===1?n:t}`,I=e=>e.slice(0,10);function B(e){let n=e.hints?`, with ${T(e.hints,"hint","hints")}`:"",t=T(e.tries,"try","tries");return e.passed?`Solved on ${I(e.first_passed)}; ${t} so far${n}.`:e.tries?`Not solved yet after ${t}${n}; last on ${I(e.last_tried)}.`:`Not tried yet${n}.`}function z({model:e,el:n,ask:t}){let r=o("div",{class:"ddl-tiles"}),d=o("p",{role:"status"}),a=o("p",{class:"ddl-told"}),{exercises:l}=e.get("data"),c=A("Exercise",l.map(({id:u,title:h})=>[u,`${u} ${h}`]),l.find(u=>!u.passed)?.id,()=>p());function p(){let{exercises:u,written:h}=e.get("data"),v=i=>u.filter(({id:s})=>s.startsWith(i)),k=i=>o("span",{class:`ddl-tile ddl-${L(i)}${i.id===c.value?" ddl-here":""}`,title:i.title,"data-place":i.id,"data-value":i.tries||null,onclick:()=>(c.value=i.id,p())},o("span",{},`${H[L(i)]} ${i.id.slice(3)}`.trim()),o("small",{"aria-hidden":"true"},"★".repeat(i.level))),w=i=>o("tr",{},o("th",{scope:"row"},i,o("span",{class:"ddl-kind"},` ${v(i).filter(s=>s.passed).length} of ${v(i).length}`)),o("td",{},v(i).map(k)));r.replaceChildren(o("table",{},o("tbody",{},[...new Set(u.map(({id:i})=>i.slice(0,2)))].map(w))));let f=u.find(({id:i})=>i===c.value)??u[0];a.replaceChildren(o("b",{},`${f.id} ${"★".repeat(f.level)} ${f.title}. `),B(f)),d.textContent=`${u.filter(i=>i.passed).length} of ${u.length} exercises are solved.${h?` The table is in ${h}.`:""}`}let b=y("Look again",()=>t({}),{class:"ddl-again"}),x=y("Write a table",()=>t({write:!0}),{title:"progress.csv, beside what is kept"});return n.append(o("div",{class:"ddl-kit ddl-progress"},o("style",{},S+C),d,r,N("Exercises",c,b,x),a)),e.on("change:data",p),p(),()=>e.off("change:data",p)}var ie=E(z,"How far you are");export{ie as default};
