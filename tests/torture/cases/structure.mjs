// Where an element stands: frames in frames, shadow roots in shadow roots, targets that vanish under the pointer.
const out = '<output id=out></output>';
/** A script that writes a frame of the case's own pages; `other` asks the same server by its other name. */
const frame = (path, attributes = '', other = '') =>
  `<script>document.write('<iframe ${attributes} width=400 height=160 src="${other}' + location.pathname.replace(/^(\\/structure\\/\\d+).*/, '$1') + '${path}"></iframe>')</script>`;
const inner = (title, body) => `<!doctype html><title>${title}</title><style>body{margin:4px;font:14px sans-serif}</style>${body}`;
const press = (name, id = 'b') => `<button id=${id} onclick="this.dataset.hit=1+ +(this.dataset.hit||0)">${name}</button>`;
const deep = n => frame => Array.isArray(frame) && frame.length === n;

export default {
  topic: 'Structure',
  cases: [
    {
      name: 'frames three deep, by turns of two origins',
      page: frame('/one', 'title=One'),
      pages: {
        '/one': inner('One', frame('/two', 'title=Two', '{other}')),
        '/two': inner('Two', frame('/three', 'title=Three')),
        '/three': inner('Three', `${press('Deep')}<label>Word <input id=w></label>`),
      },
      rest: 400,
      act: [['wait', 500], ['click', 'b', { frame: '/three' }], ['click', 'w', { frame: '/three' }], ['type', 'abc']],
      expect: [
        { action: 'click', role: 'button', name: 'Deep', frame: deep(3) },
        { action: 'click', role: 'textbox', name: 'Word', frame: deep(3) },
        { action: 'fill', name: 'Word', value: 'abc', frame: deep(3) },
      ],
    },
    {
      name: 'srcdoc in srcdoc',
      page: `<iframe title=Outer width=400 height=160 srcdoc="<iframe title=Inner id=in srcdoc='<button id=b>Within</button>'></iframe>"></iframe>${out}`,
      rest: 400,
      async act(hand) { await hand.wait(400); await inBlank(hand, "document.querySelector('iframe').contentDocument.querySelector('iframe')", 'b'); },
      expect: [{ action: 'click', role: 'button', name: 'Within', frame: deep(2) }],
    },
    {
      name: 'a frame that a click creates',
      page: `<button id=make onclick="const f=document.createElement('iframe');f.title='Late';f.src=location.pathname+'/late';document.body.append(f)">Make</button>`,
      pages: { '/late': inner('Late', press('Late one')) },
      act: [['click', 'make'], ['wait', 700], ['click', 'b', { frame: '/late' }]],
      expect: [{ action: 'click', name: 'Make' }, { action: 'click', name: 'Late one', frame: deep(1) }],
    },
    {
      name: 'about:blank frame, written into',
      page: `<button id=make onclick="const f=document.createElement('iframe');f.title='Blank';f.id='f';document.body.append(f);const d=f.contentDocument;d.open();d.write('<title>W</title><button id=b>Written</button><input id=w aria-label=Blank>');d.close()">Make</button>`,
      rest: 300,
      async act(hand) { await hand.click('make'); await hand.wait(500); await inBlank(hand, 'f', 'b'); await inBlank(hand, 'f', 'w'); await hand.type('xy'); },
      expect: [{ action: 'click', name: 'Make' }, { action: 'click', name: 'Written', frame: deep(1) }, { action: 'click', name: 'Blank' }, { action: 'fill', name: 'Blank', value: 'xy', frame: deep(1) }],
    },
    {
      name: 'about:blank frame, filled node by node',
      page: `<button id=make onclick="const f=document.createElement('iframe');f.title='Blank';f.id='f';document.body.append(f);const b=f.contentDocument.createElement('button');b.id='b';b.textContent='Built';f.contentDocument.body.append(b)">Make</button>`,
      rest: 300,
      async act(hand) { await hand.click('make'); await hand.wait(500); await inBlank(hand, 'f', 'b'); },
      expect: [{ action: 'click', name: 'Make' }, { action: 'click', name: 'Built', frame: deep(1) }],
    },
    {
      name: 'a blob frame and a sandboxed frame',
      page: `<script>for (const [id, box] of [['plain', null], ['boxed', 'allow-scripts']]) {
        const f = document.createElement('iframe'); f.id = id; f.title = id; if (box) f.sandbox = box;
        f.src = id === 'plain' ? URL.createObjectURL(new Blob(['<button id=b>Blob</button>'], { type: 'text/html' })) : location.pathname + '/boxed';
        document.body ? document.body.append(f) : document.documentElement.append(f); }</script>`,
      pages: { '/boxed': inner('Boxed', press('Boxed')) },
      async act(hand) { await hand.wait(500); await inBlank(hand, 'plain', 'b'); await hand.click('b', { frame: '/boxed' }); },
      expect: [{ action: 'click', name: 'Blob', frame: deep(1) }, { action: 'click', name: 'Boxed', frame: deep(1) }],
    },
    {
      name: 'a frameset: its frames are frames, not iframes',
      page: { body: `<!doctype html><html><head><title>Set</title><script>const p=location.pathname;document.write('<frameset cols="50%,50%"><frame name=left src="'+p+'/left"><frame name=right src="'+p+'/right"></frameset>')</script></head></html>`, headers: { 'content-type': 'text/html; charset=utf-8' } },
      pages: { '/left': inner('Left', press('On the left')), '/right': inner('Right', press('On the right')) },
      act: [['wait', 500], ['click', 'b', { frame: '/right' }], ['click', 'b', { frame: '/left' }]],
      expect: [
        { action: 'click', name: 'On the right', frame: f => f.length === 1 && !/iframe/.test(f[0]) },
        { action: 'click', name: 'On the left', frame: f => f.length === 1 && !/iframe/.test(f[0]) },
      ],
    },
    {
      name: 'a frame that goes to another page',
      page: frame('/first', 'title=Moving'),
      pages: { '/first': inner('First', `<a id=a href="second">On</a>`), '/second': inner('Second', press('Arrived')) },
      act: [['wait', 400], ['click', 'a', { frame: '/first' }], ['wait', 700], ['click', 'b', { frame: '/second' }]],
      expect: [{ action: 'click', role: 'link', name: 'On', frame: deep(1), outcome: { status: 'ok' } }, { action: 'click', name: 'Arrived', frame: deep(1) }],
    },
    {
      name: 'a frame that is moved in the page',
      page: `<div id=to></div><button id=move onclick="to.append(document.querySelector('iframe'))">Move</button>${frame('/inner', 'title=Moved')}`,
      pages: { '/inner': inner('Inner', press('Moved along')) },
      act: [['wait', 400], ['click', 'move'], ['wait', 800], ['click', 'b', { frame: '/inner' }]],
      expect: [{ action: 'click', name: 'Move' }, { action: 'click', name: 'Moved along', frame: deep(1) }],
    },
    {
      name: 'shadow roots in shadow roots, open and closed',
      page: `<x-a id=host></x-a><script>
        window.roots = [];
        const grow = (host, depth) => { const root = host.attachShadow({ mode: depth % 2 ? 'closed' : 'open' }); roots.push(root);
          root.innerHTML = depth < 3 ? '<div></div>' : '<button>Innermost</button><input aria-label=Inmost>'; if (depth < 3) grow(root.firstChild, depth + 1); };
        grow(host, 0);</script>`,
      act: [['click', "roots[3].querySelector('button')"], ['click', "roots[3].querySelector('input')"], ['type', 'shade']],
      expect: [
        { action: 'click', role: 'button', name: 'Innermost', frame: [] },
        { action: 'click', role: 'textbox', name: 'Inmost' },
        { action: 'fill', role: 'textbox', name: 'Inmost', value: 'shade' },
      ],
    },
    {
      name: 'two buttons in one closed root are told apart',
      page: `<div id=host></div><script>window.root = host.attachShadow({ mode: 'closed' }); root.innerHTML = '<button>First</button><button>Second</button>'</script>`,
      act: [['click', 'root.children[1]'], ['click', 'root.children[0]']],
      expect: [{ action: 'click', name: 'Second' }, { action: 'click', name: 'First' }],
    },
    {
      name: 'a shadow root that the parser makes, with a slotted button',
      page: `<section id=host><template shadowrootmode=closed><p>Before</p><slot></slot></template><button id=b>Slotted</button></section>`,
      act: [['click', 'b']],
      expect: [{ action: 'click', role: 'button', name: 'Slotted' }],
    },
    {
      name: 'a closed root in a frame of another origin',
      page: frame('/inner', 'title=Foreign', '{other}'),
      pages: { '/inner': inner('Inner', `<div id=host></div><script>window.root = host.attachShadow({ mode: 'closed' }); root.innerHTML = '<button>Shut in</button>'</script>`) },
      act: [['wait', 400], ['click', "root.querySelector('button')", { frame: '/inner' }]],
      expect: [{ action: 'click', role: 'button', name: 'Shut in', frame: deep(1) }],
    },
    {
      name: 'a frame in a closed shadow root',
      page: `<div id=host></div><script>window.root = host.attachShadow({ mode: 'closed' }); root.innerHTML = '<iframe title=Hidden width=300 height=80 src="' + location.pathname + '/inner"></iframe>'</script>`,
      pages: { '/inner': inner('Inner', press('In a root')) },
      act: [['wait', 500], ['click', 'b', { frame: '/inner' }]],
      expect: [{ action: 'click', name: 'In a root', frame: deep(1) }],
    },
    {
      name: 'display: contents',
      page: `<div role=button id=b tabindex=0 aria-label=Flat style="display:contents" onclick="out.textContent='c'"><span id=s>Click here</span></div>${out}`,
      act: [['click', 's']], then: ['out.textContent', 'c'],
      expect: [{ action: 'click', role: 'button', name: 'Flat' }],
    },
    {
      name: 'SVG shapes with a role, and a label of their own',
      page: `<svg width=200 height=60><g role=button aria-label=Bar onclick="out.textContent='bar'"><rect id=bar width=80 height=50 fill=teal></rect></g><a href="#x"><title>Pie</title><circle id=pie cx=130 cy=25 r=20></circle></a></svg>${out}`,
      act: [['click', 'bar'], ['click', 'pie']], then: ['out.textContent', 'bar'],
      expect: [{ action: 'click', role: 'button', name: 'Bar' }, { action: 'click', role: 'link', name: 'Pie' }],
    },
    {
      name: 'two places of one canvas',
      page: `<canvas id=c width=200 height=100 style="border:0" onclick="out.textContent+=event.offsetX<100?'l':'r'"></canvas>${out}`,
      act: [['click', 'c', { at: [0.1, 0.5], rest: 600 }], ['click', 'c', { at: [0.9, 0.5] }]], then: ['out.textContent', 'lr'],
      expect: [{ action: 'click' }, { action: 'click' }],
      check: steps => {
        const [a, b] = steps.map(step => step.target.pointer.x - step.target.box.x);
        return Math.abs(a - 20) <= 2 && Math.abs(b - 180) <= 2 ? undefined : `the places are ${a} and ${b}, not 20 and 180`;
      },
    },
    {
      name: 'removed on mousedown',
      page: `<button id=b onmousedown="this.remove();out.textContent='gone'">Vanish</button>${out}`,
      act: [['click', 'b']], then: ['out.textContent', 'gone'],
      expect: [{ action: 'click', role: 'button', name: 'Vanish' }],
    },
    {
      name: 'relabelled on mousedown',
      page: `<button id=b onmousedown="this.textContent='Playing'">Play</button>`,
      act: [['click', 'b']],
      expect: [{ action: 'click', role: 'button', name: 'Play' }],
    },
    {
      name: 'under an overlay that lets the pointer through',
      page: `<div style="position:relative;width:200px;height:40px"><button id=b style="width:200px;height:40px" onclick="out.textContent='c'">Under</button><div style="position:absolute;inset:0;pointer-events:none;background:#fa05">veil</div></div>${out}`,
      act: [['click', 'b']], then: ['out.textContent', 'c'],
      expect: [{ action: 'click', role: 'button', name: 'Under' }],
    },
    {
      name: 'a page that stops every event at the window',
      page: `<script>for (const t of ['pointerdown','pointerup','mousedown','mouseup','click','keydown','keyup','input','change','beforeinput']) window.addEventListener(t, e => e.stopImmediatePropagation(), true)</script><button id=b>Mute</button><input id=i aria-label=Muted>`,
      act: [['click', 'b'], ['click', 'i'], ['type', 'ab']], then: ['i.value', 'ab'],
      expect: [{ action: 'click', name: 'Mute' }, { action: 'click', name: 'Muted' }, { action: 'fill', name: 'Muted', value: 'ab' }],
    },
    {
      name: 'a page that writes itself anew',
      page: `<button id=b onclick="document.open();document.write('<!doctype html><title>Anew</title><button id=n>New</button><input id=i aria-label=Fresh>');document.close()">Rewrite</button>`,
      act: [['click', 'b'], ['wait', 500], ['click', 'n'], ['click', 'i'], ['type', 'hi']],
      expect: [{ action: 'click', name: 'Rewrite', outcome: { status: 'ok' } }, { action: 'click', name: 'New' }, { action: 'click', name: 'Fresh' }, { action: 'fill', name: 'Fresh', value: 'hi' }],
    },
    {
      name: 'a page that writes itself anew twice',
      page: `<button id=b onclick="go(1)">Again 0</button><script>function go(n){document.open();document.write('<title>T</title><scr'+'ipt>'+go+'</scr'+'ipt><button id=b onclick="go('+(n+1)+')">Again '+n+'</button>');document.close()}</script>`,
      act: [['click', 'b', { rest: 700 }], ['click', 'b', { rest: 700 }], ['click', 'b', { rest: 400 }]],
      expect: [{ action: 'click', name: 'Again 0' }, { action: 'click', name: 'Again 1' }, { action: 'click', name: 'Again 2' }],
    },
    {
      name: 'a page that writes itself anew, with a frame',
      page: `<button id=b onclick="const p=location.pathname;document.open();document.write('<title>T</title><iframe title=Fresh width=300 height=80 src='+p+'/inner></iframe>');document.close()">With frame</button>`,
      pages: { '/inner': inner('Inner', press('Framed')) },
      act: [['click', 'b'], ['wait', 1000], ['click', 'b', { frame: '/inner' }]],
      expect: [{ action: 'click', name: 'With frame' }, { action: 'click', name: 'Framed', frame: deep(1) }],
    },
    {
      name: 'a page whose root is replaced',
      page: `<button id=b onclick="const h=document.createElement('html');h.innerHTML='<head><title>R</title></head><body><button id=n>Grown</button></body>';document.replaceChild(h,document.documentElement)">Replace</button>`,
      act: [['click', 'b'], ['wait', 400], ['click', 'n']],
      expect: [{ action: 'click', name: 'Replace' }, { action: 'click', name: 'Grown' }],
    },
    {
      name: 'a page whose body is replaced',
      page: `<button id=b onclick="document.body.outerHTML='<body><button id=n>Next</button></body>'">Swap</button>`,
      act: [['click', 'b'], ['wait', 300], ['click', 'n']],
      expect: [{ action: 'click', name: 'Swap' }, { action: 'click', name: 'Next' }],
    },
  ],
};

/** A click in a frame without an address of its own: `owner` gives its element. */
async function inBlank(hand, owner, expression) {
  const at = await hand.evaluate(`(() => { let own = ${owner}; const e = own.contentDocument.querySelector('#${expression}');
    const r = e.getBoundingClientRect(); let x = r.x + r.width / 2, y = r.y + r.height / 2;
    for (; own; own = own.ownerDocument.defaultView.frameElement) { const b = own.getBoundingClientRect(); x += b.x + own.clientLeft; y += b.y + own.clientTop; }
    return { x, y }; })()`);
  await hand.moveTo(at.x, at.y);
  await hand.down();
  await hand.up();
}
