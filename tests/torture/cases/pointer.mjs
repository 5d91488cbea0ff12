// Clicks, drags, presses, wheels and hovers.
const out = '<output id=out></output>';

export default {
  topic: 'Pointer',
  cases: [
    {
      name: 'click',
      page: `<button id=b onclick="out.textContent+='c'">Save</button>${out}`,
      act: [['click', 'b']], then: ['out.textContent', 'c'],
      expect: [{ action: 'click', role: 'button', name: 'Save', button: 'left', count: 1, trusted: true }],
    },
    {
      name: 'double click',
      page: `<div id=b role=button tabindex=0 ondblclick="out.textContent+='d'">Open</div>${out}`,
      act: [['click', 'b', { count: 2 }]], then: ['out.textContent', 'd'],
      expect: [{ action: 'dblclick', role: 'button', name: 'Open', count: 2 }],
    },
    {
      name: 'slow second click is no double click',
      page: `<button id=b>Twice</button>`,
      act: [['click', 'b', { rest: 700 }], ['click', 'b']],
      expect: [{ action: 'click', name: 'Twice' }, { action: 'click', name: 'Twice' }],
    },
    {
      name: 'clicks with held modifiers',
      page: `<ul role=listbox aria-multiselectable=true><li id=a role=option>One<li id=b role=option>Two</ul>`,
      act: [['click', 'a', { mods: ['Control'] }], ['click', 'b', { mods: ['Shift'] }]],
      expect: [{ action: 'click', name: 'One', modifiers: ['Control'] }, { action: 'click', name: 'Two', modifiers: ['Shift'] }],
    },
    {
      name: 'middle click',
      page: `<button id=b onauxclick="out.textContent+=event.button">Middle</button>${out}`,
      act: [['click', 'b', { button: 'middle' }]], then: ['out.textContent', '1'],
      expect: [{ action: 'click', button: 'middle', name: 'Middle' }],
    },
    {
      name: 'middle click in a field that pastes the selection (one step)',
      page: `<p id=p>Take these words</p><textarea id=t aria-label=Notes></textarea>`,
      act: [['click', 'p', { count: 2, at: [0.02, 0.5] }], ['click', 't', { button: 'middle' }]],
      expect: [{ action: 'dblclick' }, { action: 'paste', button: 'middle', name: 'Notes' }],
      // Without a screen it has no selection to paste.
      firefox: { expect: [{ action: 'dblclick' }, { action: 'click', button: 'middle', name: 'Notes' }] },
    },
    {
      name: 'right click that the page receives',
      page: `<button id=b oncontextmenu="out.textContent+='m';return false">Menu</button>${out}`,
      act: [['click', 'b', { button: 'right' }]], then: ['out.textContent', 'm'],
      expect: [{ action: 'contextmenu', button: 'right', name: 'Menu' }],
    },
    {
      name: 'right click, then an item of the page\'s own menu',
      page: `<div id=row role=row tabindex=0 oncontextmenu="menu.hidden=false;return false">Row</div><div id=menu role=menu hidden><div id=item role=menuitem onclick="out.textContent='done';menu.hidden=true">Rename</div></div>${out}`,
      act: [['click', 'row', { button: 'right' }], ['click', 'item']], then: ['out.textContent', 'done'],
      expect: [{ action: 'contextmenu', name: 'Row' }, { action: 'click', role: 'menuitem', name: 'Rename' }],
    },
    {
      name: 'long press of the mouse',
      page: `<button id=b onclick="out.textContent+='c'">Hold</button>${out}`,
      act: [['click', 'b', { hold: 700 }]], then: ['out.textContent', 'c'],
      expect: [{ action: 'click', name: 'Hold', elapsed_ms: ms => ms >= 600 }],
    },
    {
      name: 'long press that opens something while held',
      page: `<button id=b onpointerdown="t=setTimeout(()=>{out.textContent='opened'},400)" onpointerup="clearTimeout(t)">Press</button>${out}`,
      act: [['click', 'b', { hold: 600 }]], then: ['out.textContent', 'opened'],
      expect: [{ action: 'click', name: 'Press', elapsed_ms: ms => ms >= 500 }],
    },
    {
      name: 'tap of a finger',
      page: `<button id=b onclick="out.textContent+='c'">Tap</button>${out}`,
      act: [['touch', 'b']], then: ['out.textContent', 'c'],
      expect: [{ action: 'click', name: 'Tap' }],
    },
    {
      name: 'long press of a finger',
      page: `<button id=b oncontextmenu="out.textContent+='m';return false" style="padding:20px">Tap long</button>${out}`,
      act: [['touch', 'b', { hold: 1200 }]],
      expect: [{ action: 'click', name: 'Tap long', elapsed_ms: ms => ms >= 1000 }],
    },
    {
      name: 'triple click selects a paragraph',
      page: `<p id=p style="width:300px">A paragraph of text that is chosen as a whole</p>`,
      act: [['click', 'p', { count: 3, at: [0.1, 0.5] }]], then: ['String(getSelection()).trim()', 'A paragraph of text that is chosen as a whole'],
      expect: [{ action: 'click', count: 3 }],
    },
    {
      name: 'triple click in a field, then typing over',
      page: `<input id=i aria-label=Title value="old words here">`,
      act: [['click', 'i', { count: 3, at: [0.1, 0.5] }], ['type', 'new']], then: ['i.value', 'new'],
      expect: [{ action: 'click', count: 3, name: 'Title' }, { action: 'fill', name: 'Title', value: 'new' }],
    },
    {
      name: 'triple click on a button that is drawn again at each click',
      page: `<div id=box><button>Count 0</button></div><script>let n=0;const draw=()=>{box.innerHTML='<button>Count '+n+'</button>';box.firstChild.onclick=()=>{n++;draw()}};draw()</script>`,
      act: [['click', 'box.firstChild', { count: 3 }]], then: ['n', 3],
      expect: [{ action: 'click', count: 3, role: 'button', name: 'Count 0' }],
    },
    {
      name: 'quick clicks on a counter',
      page: `<button id=b onclick="n.textContent=+n.textContent+1">Add</button><span id=n>0</span>`,
      act: [['click', 'b', { count: 4 }]], then: ['n.textContent', '4'],
      expect: [{ action: 'click', count: 4, name: 'Add' }],
    },
    {
      name: 'text selection by dragging',
      page: `<p id=p style="width:400px">Words that are marked with the mouse held down</p>`,
      act: [['drag', 'p', 'p', { at: [0.01, 0.5], to_at: [0.6, 0.5] }]], then: ['String(getSelection()).length > 5', true],
      expect: [{ action: 'drag' }],
    },
    {
      name: 'text selection by dragging within a field',
      page: `<input id=i aria-label=Line value="some words to mark" size=30>`,
      act: [['drag', 'i', 'i', { at: [0.02, 0.5], to_at: [0.5, 0.5] }]], then: ['i.selectionEnd - i.selectionStart > 3', true],
      expect: [{ action: 'drag', name: 'Line' }],
    },
    {
      name: 'HTML5 drag and drop',
      page: `<div id=src draggable=true role=listitem aria-label=Card style="width:80px;height:40px;background:#cde">Card</div><div id=dst role=list aria-label=Done style="width:160px;height:80px;background:#eee;margin-top:20px">Done</div>
        <script>src.ondragstart=e=>e.dataTransfer.setData('text/plain','card');dst.ondragover=e=>e.preventDefault();dst.ondrop=e=>{e.preventDefault();dst.append(src)}</script>`,
      act: [['drag', 'src', 'dst']], then: ['dst.contains(src)', true],
      expect: [{ action: 'drag', role: 'listitem', name: 'Card', to_target: t => t?.name === 'Done' }],
      // BiDi begins the drag and never drops (w3c/webdriver-bidi#487): what it gives is the way there.
      firefox: { then: null, expect: [{ action: 'drag', role: 'listitem', name: 'Card', to_target: t => t?.name === 'Done' }] },
    },
    {
      name: 'HTML5 drag of a link to a zone, between columns, twice',
      page: `<style>.c{width:150px;height:120px;float:left;margin:5px;background:#eee}</style><div class=c id=a aria-label=Todo role=list><div id=one draggable=true role=listitem>One</div></div><div class=c id=b role=list aria-label=Done></div>
        <script>for(const z of [a,b]){z.ondragover=e=>e.preventDefault();z.ondrop=e=>{e.preventDefault();z.append(one)}}one.ondragstart=e=>e.dataTransfer.setData('text/plain','1')</script>`,
      act: [['drag', 'one', 'b'], ['drag', 'one', 'a', { to_at: [0.5, 0.8] }]], then: ['a.contains(one)', true],
      expect: [{ action: 'drag', role: 'listitem' }, { action: 'drag', role: 'listitem' }],
      firefox: { cannot: 'BiDi never drops, and until then begins no second drag' },
    },
    {
      name: 'pointer drag with capture',
      page: `<div id=k tabindex=0 role=button aria-label=Knob style="width:40px;height:40px;background:#89a;position:relative;left:0"></div>
        <script>let x0;k.onpointerdown=e=>{x0=e.clientX;k.setPointerCapture(e.pointerId)};k.onpointermove=e=>{if(x0!=null)k.style.left=e.clientX-x0+'px'};k.onpointerup=()=>x0=null</script>`,
      act: [['drag', 'k', [160, 0]]], then: ['k.style.left', '160px'],
      expect: [{ action: 'drag', role: 'button', name: 'Knob' }],
    },
    {
      name: 'custom slider by its thumb',
      page: `<div style="width:200px;height:6px;background:#ccc;position:relative;margin:20px"><div id=th role=slider tabindex=0 aria-label=Volume aria-valuenow=0 style="width:16px;height:16px;top:-5px;background:#48c;position:absolute;left:0"></div></div>
        <script>let go;th.onmousedown=e=>{go=true;e.preventDefault()};onmousemove=e=>{if(go){const v=Math.max(0,Math.min(184,e.clientX-40));th.style.left=v+'px';th.setAttribute('aria-valuenow',v)}};onmouseup=()=>go=false</script>`,
      act: [['drag', 'th', [100, 0]]],
      expect: [{ action: 'drag', role: 'slider', name: 'Volume' }],
    },
    {
      name: 'canvas stroke',
      page: `<canvas id=c width=300 height=120 aria-label=Pad role=img style="background:#f4f4f4"></canvas><script>let d,n=0;c.onpointerdown=()=>d=1;c.onpointermove=()=>{if(d)n++};c.onpointerup=()=>d=0</script>`,
      act: [['stroke', 'c', [[0.2, 0.5], [0.5, 0.2], [0.8, 0.5]]]], then: ['n > 1', true],
      expect: [{ action: 'drag', name: 'Pad' }],
    },
    {
      name: 'canvas click, with its place',
      page: `<canvas id=c width=300 height=120 aria-label=Chart role=img style="background:#f4f4f4"></canvas>`,
      act: [['click', 'c', { at: [0.25, 0.5] }]],
      expect: [{ action: 'click', name: 'Chart', target: t => Math.abs(t.pointer.x - t.box.x - 75) <= 1 && Math.abs(t.pointer.y - t.box.y - 60) <= 1 }],
    },
    {
      name: 'list reordered by the pointer',
      page: `<ul id=l style="padding:0;list-style:none;width:160px">${['Ada', 'Bob', 'Cy'].map(n => `<li style="height:30px;background:#eef;margin:2px">${n}</li>`).join('')}</ul>
        <script>let it;l.onpointerdown=e=>{it=e.target.closest('li');l.setPointerCapture(e.pointerId)};l.onpointermove=e=>{if(!it)return;const o=[...l.children].find(c=>{const r=c.getBoundingClientRect();return e.clientY>r.top&&e.clientY<r.bottom});if(o&&o!==it)l.insertBefore(it,o.compareDocumentPosition(it)&4?o:o.nextSibling)};l.onpointerup=()=>it=null</script>`,
      act: [['drag', 'l.children[0]', 'l.children[2]']], then: ['l.textContent', 'BobCyAda'],
      expect: [{ action: 'drag', role: 'listitem' }],
    },
    {
      name: 'resize handle of a textarea',
      page: `<textarea id=t aria-label=Text style="width:200px;height:60px;resize:both"></textarea>`,
      act: [['drag', 't', [60, 40], { at: [0.985, 0.96] }]], then: ['t.offsetHeight > 80', true],
      expect: [{ action: 'drag', name: 'Text' }],
    },
    {
      name: 'resize handle of a pane',
      page: `<div style="display:flex;height:80px"><div id=left style="width:100px;background:#eee"></div><div id=h role=separator aria-label=Divider tabindex=0 style="width:8px;background:#999;cursor:col-resize"></div><div style="flex:1"></div></div>
        <script>let on;h.onmousedown=()=>on=1;onmousemove=e=>{if(on)left.style.width=e.clientX-12+'px'};onmouseup=()=>on=0</script>`,
      act: [['drag', 'h', [80, 0]]],
      expect: [{ action: 'drag', role: 'separator', name: 'Divider' }],
    },
    {
      name: 'unsteady click on a button',
      page: `<button id=b style="padding:20px 40px" onclick="out.textContent='c'">Shaky</button>${out}`,
      act: [['drag', 'b', [10, 3]]], then: ['out.textContent', 'c'],
      expect: [{ action: 'click', name: 'Shaky' }],
    },
    {
      name: 'press on one element, release on another (no click)',
      page: `<button id=a onclick="out.textContent+='a'">First</button> <button id=b style="margin-left:200px" onclick="out.textContent+='b'">Other</button>${out}`,
      act: [['drag', 'a', 'b']], then: ['out.textContent', ''],
      expect: [{ action: 'drag', name: 'First' }],
    },
    {
      name: 'element removed on mousedown',
      page: `<button id=b onmousedown="this.remove();out.textContent='gone'">Vanish</button>${out}`,
      act: [['click', 'b']], then: ['out.textContent', 'gone'],
      expect: [{ action: 'click', role: 'button', name: 'Vanish' }],
    },
    {
      name: 'element relabelled on mousedown',
      page: `<button id=b onmousedown="this.textContent='After 7'">Before</button>`,
      act: [['click', 'b']],
      expect: [{ action: 'click', role: 'button', name: 'Before' }],
    },
    {
      name: 'custom control that draws itself again on mousedown',
      page: `<div id=box></div><script>let on=false;const draw=()=>{box.innerHTML='<div role=option tabindex=0 aria-selected='+on+'>Choice</div>';box.firstChild.onmousedown=()=>{on=!on;draw()}};draw()</script>`,
      act: [['click', 'box.firstChild']], then: ['on', true],
      expect: [{ action: 'click', role: 'option', name: 'Choice' }],
    },
    {
      name: 'page that stops propagation at the window',
      page: `<script>for(const t of ['pointerdown','mousedown','pointerup','mouseup','click'])addEventListener(t,e=>e.stopImmediatePropagation(),true)</script><button id=b>Quiet</button>`,
      act: [['click', 'b']],
      expect: [{ action: 'click', role: 'button', name: 'Quiet' }],
    },
    {
      name: 'page that prevents the default of every press',
      page: `<script>for(const t of ['pointerdown','mousedown','touchstart'])addEventListener(t,e=>e.preventDefault(),true)</script><button id=b onclick="out.textContent='c'">Tame</button>${out}`,
      act: [['click', 'b']], then: ['out.textContent', 'c'],
      expect: [{ action: 'click', role: 'button', name: 'Tame' }],
    },
    {
      name: 'icon within a button',
      page: `<button id=b aria-label=Close><svg id=s width=20 height=20><path d="M0 0L20 20" stroke="#000" stroke-width=8 /></svg></button>`,
      act: [['click', 's']],
      expect: [{ action: 'click', role: 'button', name: 'Close' }],
    },
    {
      name: 'wheel over an inner container',
      page: `<div id=l tabindex=0 role=region aria-label=List style="height:100px;overflow:auto"><div style="height:900px">long</div></div><div style="height:2000px"></div>`,
      act: [['wheel', 'l', 200]], then: ['l.scrollTop > 100', true],
      expect: [{ action: 'scroll', cause: 'wheel', name: 'List', to: p => p.y > 100 }],
    },
    {
      name: 'wheel over the page',
      page: `<div style="height:3000px"><p id=p>Top</p></div>`,
      act: [['wheel', 'p', 400]], then: ['scrollY > 100', true],
      expect: [{ action: 'scroll', cause: 'wheel', target: null, to: p => p.y > 100 }],
    },
    {
      name: 'wheel sideways',
      page: `<div id=l tabindex=0 role=region aria-label=Strip style="width:200px;overflow:auto"><div style="width:1500px">wide</div></div>`,
      act: [['wheel', 'l', 0, 250]], then: ['l.scrollLeft > 100', true],
      expect: [{ action: 'scroll', cause: 'wheel', name: 'Strip', to: p => p.x > 100 }],
    },
    {
      name: 'wheel turned several times (one scroll)',
      page: `<div id=l tabindex=0 role=region aria-label=List style="height:100px;overflow:auto"><div style="height:5000px">long</div></div>`,
      act: [['wheel', 'l', 100, 0, { rest: 50 }], ['wheel', 'l', 100, 0, { rest: 50 }], ['wheel', 'l', 100]],
      expect: [{ action: 'scroll', cause: 'wheel', name: 'List', to: p => p.y > 200 }],
    },
    {
      name: 'scroll bar dragged',
      page: `<style>::-webkit-scrollbar{width:16px;background:#eee}::-webkit-scrollbar-thumb{background:#777;min-height:30px}</style><div id=l tabindex=0 role=region aria-label=List style="width:200px;height:200px;overflow:scroll"><div style="height:1000px">long</div></div>`,
      act: [['drag', 'l', [0, 60], { at: [0.965, 0.1] }]], then: ['l.scrollTop > 100', true],
      expect: [{ action: 'scroll', cause: 'scroll_bar', name: 'List', to: p => p.y > 100 }],
    },
    {
      name: 'scroll by a program (no step)',
      page: `<button id=b onclick="l.scrollTop=300">Jump</button><div id=l style="height:100px;overflow:auto"><div style="height:900px">long</div></div>`,
      act: [['click', 'b']], then: ['l.scrollTop', 300],
      expect: [{ action: 'click', name: 'Jump' }],
      check: (steps, { scroll }) => (scroll.length === 1 && scroll[0].cause === 'program' && scroll[0].to.y === 300 ? undefined : `told: ${JSON.stringify(scroll)}`),
    },
    {
      name: 'smooth scroll by a program, away from input (no step)',
      page: `<div id=l style="height:100px;overflow:auto"><div style="height:900px">long</div></div><script>setTimeout(()=>l.scrollTo({top:300,behavior:'smooth'}),100)</script>`,
      act: [['wait', 900]], then: ['l.scrollTop', 300],
      expect: [],
      check: (steps, { scroll }) => (scroll.length === 1 && scroll[0].cause === 'program' && scroll[0].to.y === 300 ? undefined : `told: ${JSON.stringify(scroll)}`),
    },
    {
      name: 'moving about changes nothing (no step)',
      page: `<style>#a:hover{color:red}</style><p id=a>One</p><p id=b onmouseenter="this.title='x'">Two</p><button id=c>Go</button>`,
      act: [['over', 'a'], ['over', 'b'], ['click', 'c']],
      expect: [{ action: 'click', name: 'Go' }],
    },
  ],
};
