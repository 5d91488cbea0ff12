// A page with a secret of every kind in it, each shown again in every way that a page can, and what must be found nowhere.

/** What is planted: every value is looked for in every artefact. Special characters make its encodings differ. */
export const SECRETS = {
  password: 'Kw7&qpässA9',
  repeated: 'Zt"4<rmn>W8',
  toggled: 'Vx3+flipB6',
  grown: 'grewMORE55',
  replaced: 'Nq8=swapC2',
  after: 'tail4077x',
  code: '918273',
  split: '640519',
  hinted: '58203941',
  card: '4929123456781234',
  cvc: 'cq7319z', // four digits are in every time of day
  expiry: '11/2087',
  named: '5105105105105100',
  dots: 'Hb5dotsD1',
  hidden: 'csrf-0f9e8d7c6b5a',
  typed: 'Lm2typedE3',
  region: 'Region-71-secret',
  edited: 'Ed6notedF4',
  private: 'Private-82-secret',
  shadow: 'Sh9closedG5',
  framed: 'Fr1innerH7',
  elsewhere: 'Ot4hersJ8',
  link: 'lnkPASS62',
  token: 'tkn9a8b7c6d5e4',
  pasted: 'Pa5teK9board',
};

const field = 'background:#f0f;color:#f0f;border:0;width:150px;height:20px;font-size:12px';

export const PAGES = {
  '/': `<!doctype html><meta charset=utf-8><title>Vault</title>
<style>input,textarea,select,.s{${field}}label{display:inline-block;margin:2px}.private,[data-tracerule-mask]{background:#f0f;color:#f0f;width:300px}.echo{background:#f0f;color:#f0f}</style>
<form action="/sent" method=get id=form>
<label>Password <input type=password id=password name=pw1></label>
<label>Again <input type=password id=repeated name=pw2></label>
<label>Shown <input type=password id=toggled name=pw3></label><button type=button id=toggle onclick="toggled.type='text'">Show</button>
<span id=slot><label>Swapped <input type=password id=replaced name=pw4></label></span><button type=button id=swap>Swap</button>
<label>Code <input id=code name=c1 autocomplete="one-time-code"></label>
<div id=boxes><span><input maxlength=1 inputmode=numeric></span><span><input maxlength=1 inputmode=numeric></span><span><input maxlength=1 inputmode=numeric></span><span><input maxlength=1 inputmode=numeric></span><span><input maxlength=1 inputmode=numeric></span><span><input maxlength=1 inputmode=numeric></span></div>
<label>SMS <input id=hinted name=verificationCode inputmode=numeric maxlength=8></label>
<label>Card <input id=card name=f1 autocomplete="billing cc-number"></label>
<label>Check <input id=cvc name=f2 autocomplete="cc-csc"></label>
<label>Until <input id=expiry name=f3 autocomplete="cc-exp"></label>
<label>Other <input id=named name=cardNumber></label>
<label>Dots <input id=dots name=f4 style="-webkit-text-security:disc;background:#fff" oninput="this.style.background='#f0f'"></label>
<input type=hidden name=csrf value="${SECRETS.hidden}">
<label>Pasted <input type=password id=pasted name=pw5></label>
<label>Plain <input id=plain name=q style="background:#fff;color:#000"></label>
<button id=send>Send</button>
</form>
<section data-tracerule-mask id=region title="${SECRETS.region}"><p>${SECRETS.region} <b aria-label="${SECRETS.region}">x</b></p><input id=typed name=r1><p id=edited contenteditable style="height:20px"></p><img alt="${SECRETS.region}" src="data:,"></section>
<p class=private data-note="${SECRETS.private}" style="transform:rotate(3deg)">${SECRETS.private}</p>
<p><a href="http://ada:${SECRETS.link}@127.0.0.1:1/x" style="color:#000">Credentials</a> <a href="/x?access_token=${SECRETS.token}&lang=en">Token</a></p>
<p id=echo></p><div id=host></div>
<iframe src="/inner" id=same width=260 height=60 style="transform:scale(.8);transform-origin:0 0"></iframe><iframe src="{other}/others" id=cross width=260 height=60></iframe>
<script>
const root = host.attachShadow({ mode: 'closed' }); root.innerHTML = '<input type=password id=in style="${field}">'; window.__root = root;
swap.onclick = () => { const old = document.getElementById('replaced'); const fresh = document.createElement('input'); fresh.id = 'replaced2'; fresh.name = old.name; fresh.value = old.value; old.replaceWith(fresh); };
// Shows what was typed in every way that a page can.
const seen = {};
document.addEventListener('input', e => {
  const f = e.target; if (!f.value || f.id === 'plain' || f.maxLength === 1) return;
  seen[f.id] = f.value;
});
window.reveal = () => {
  let html = '';
  for (const [id, value] of Object.entries(seen)) {
    const p = document.createElement('p'); p.className = 'echo'; p.textContent = 'You typed ' + value; p.title = value; p.setAttribute('data-x', encodeURIComponent(value)); p.setAttribute('aria-label', value);
    echo.append(p);
    const i = document.createElement('input'); i.value = value; i.setAttribute('placeholder', value); echo.append(i);
    html += id + '=' + encodeURIComponent(value) + '&';
  }
  document.title = 'Hello ' + Object.values(seen).join(' ');
  history.pushState(null, '', '/?tok=' + encodeURIComponent(seen.password) + '&' + html + '#' + encodeURIComponent(seen.repeated));
  const boxes = [...document.querySelectorAll('#boxes input')].map(i => i.value).join('');
  if (boxes.length === 6) { const p = document.createElement('p'); p.className = 'echo'; p.textContent = 'Code ' + boxes; echo.append(p); }
};
</script>`,
  '/inner': `<!doctype html><meta charset=utf-8><title>Inner</title><style>input{${field}}</style><input type=password id=f>`,
  '/others': `<!doctype html><meta charset=utf-8><title>Others</title><style>input{${field}}</style><input type=password id=f>`,
  '/sent': `<!doctype html><meta charset=utf-8><title>Sent</title><style>p{color:#000}</style><h1>Sent</h1><script>document.write('<a id=again href="' + location.search + '">' + 'again</a>')</script>`,
};

/** Every form in which a text may stand in a file. */
export function forms(secret) {
  const texts = new Set([secret, encodeURIComponent(secret), encodeURIComponent(secret).replaceAll('%20', '+'), encodeURI(secret), JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3), [...secret].map(c => (c.codePointAt(0) > 126 ? '\\u' + c.codePointAt(0).toString(16).padStart(4, '0') : c)).join(''),
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')]);
  const found = [];
  for (const text of texts) {
    for (const encoding of ['utf8', 'latin1', 'utf16le']) found.push(Buffer.from(text, encoding));
  }
  // Base64 at each of the three places in a group that it may begin at, without the ends that depend on what is around.
  const bytes = Buffer.from(secret);
  for (const shift of [0, 1, 2]) {
    const coded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64').replaceAll('=', '');
    found.push(Buffer.from(coded.slice(shift ? shift + 1 : 0, -1)));
  }
  return found.filter(form => form.length >= 4);
}
