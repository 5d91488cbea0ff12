// What the browser fills in by itself. Chromium's DevTools protocol does what choosing an address or a card in its list
// does; Firefox keeps that to its own process.
const cannot = 'no protocol reaches Firefox\'s form filling';

/** Fills in the form that a field belongs to. @param {any} hand @param {string} id @param {object} kept */
async function fillIn(hand, id, kept) {
  const { result } = await hand.cdp.send('Runtime.evaluate', { expression: `document.getElementById('${id}')` });
  const { node } = await hand.cdp.send('DOM.describeNode', { objectId: result.objectId });
  await hand.cdp.send('Autofill.trigger', { fieldId: node.backendNodeId, ...kept });
  await hand.wait(300);
}

const address = {
  fields: Object.entries({
    NAME_FULL: 'Ann Lee', ADDRESS_HOME_STREET_ADDRESS: '1 Main St', ADDRESS_HOME_CITY: 'Springfield', ADDRESS_HOME_ZIP: '94043', ADDRESS_HOME_COUNTRY: 'US',
  }).map(([name, value]) => ({ name, value })),
};
const card = { number: '4111111111111111', name: 'Ann Lee', expiryMonth: '12', expiryYear: '2030', cvc: '123' };
const form = `<form><label>Name <input id=n autocomplete=name></label> <label>Street <input id=s autocomplete=street-address></label>
  <label>City <input id=c autocomplete=address-level2></label> <label>Zip <input id=z autocomplete=postal-code></label>
  <label>Country <select id=co autocomplete=country><option value="">…<option value=US>United States<option value=DE>Germany</select></label></form>`;
const filled = { action: 'fill', cause: 'autofill', trusted: true };
const secret = (length, hashed) => ({
  ...filled, secret: true, value: '••••••••',
  secret_value: kept => kept?.class === 'card' && kept.length === length && !!kept.hash === hashed,
});

export default {
  topic: 'Autofill',
  cases: [
    {
      name: 'address filled in by the browser (one step a field)',
      page: form,
      act: async hand => { await hand.click('n'); await fillIn(hand, 'n', { address }); },
      then: ['[n, s, c, z, co].map(field => field.value).join("|")', 'Ann Lee|1 Main St|Springfield|94043|US'],
      expect: [
        { action: 'click', name: 'Name' }, { ...filled, name: 'Name', value: 'Ann Lee' }, { ...filled, name: 'Street', value: '1 Main St' },
        { ...filled, name: 'City', value: 'Springfield' }, { ...filled, name: 'Zip', value: '94043' },
        { action: 'select', cause: 'autofill', name: 'Country', value: 'United States' },
      ],
      firefox: { cannot },
    },
    {
      name: 'address filled in, one field gone on with by hand',
      page: form,
      act: async hand => {
        await hand.click('n');
        await fillIn(hand, 'n', { address });
        await hand.click('c');
        await hand.press('End');
        await hand.type('!');
      },
      then: ['c.value', 'Springfield!'],
      expect: [
        { action: 'click' }, filled, filled, filled, filled, { action: 'select', cause: 'autofill' },
        { action: 'click', name: 'City' }, { action: 'fill', name: 'City', value: 'Springfield!', cause: null },
      ],
      firefox: { cannot },
    },
    {
      name: 'card filled in by the browser (class, length and hash alone)',
      page: `<form><label>Card <input id=cn autocomplete=cc-number></label> <label>Holder <input id=ch autocomplete=cc-name></label>
        <label>Until <input id=ce autocomplete=cc-exp></label> <label>Check <input id=cc autocomplete=cc-csc></label></form>`,
      act: async hand => { await hand.click('cn'); await fillIn(hand, 'cn', { card }); await hand.wait(700); },
      then: ['[cn, cc].map(field => field.value).join("|")', '4111111111111111|123'],
      expect: [
        { action: 'click', name: 'Card' }, { ...secret(16, true), name: 'Card' }, { ...secret(7, true), name: 'Holder' },
        { ...secret(7, true), name: 'Until' }, { ...secret(3, false), name: 'Check' },
      ],
      check: steps => (/4111|Ann|2030/.test(JSON.stringify(steps)) ? 'the card is told' : undefined),
      firefox: { cannot },
    },
    {
      name: 'word replaced by the browser (spelling: an edit without keys)',
      page: `<label>Text <textarea id=x>teh end</textarea></label>`,
      act: async hand => { await hand.click('x'); await hand.evaluate(`x.setSelectionRange(0, 3); document.execCommand('insertText', false, 'the')`); },
      then: ['x.value', 'the end'],
      expect: [{ action: 'click' }, { action: 'fill', name: 'Text', value: 'the end', cause: null }],
    },
  ],
};
