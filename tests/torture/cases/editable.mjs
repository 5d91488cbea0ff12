// Editable content, plain; the editors are in editors.mjs.
export default {
  topic: 'Editable content',
  cases: [
    {
      name: 'editable content with a line break (one fill)',
      page: `<div id=e contenteditable role=textbox aria-label=Body style="min-height:40px"></div>`,
      act: [['click', 'e'], ['type', 'abcd'], ['press', 'Enter'], ['type', 'e']],
      expect: [{ action: 'click', name: 'Body' }, { action: 'fill', name: 'Body', value: 'abcd\ne' }],
    },
    {
      name: 'editable content without a role or name',
      page: `<div id=e contenteditable style="min-height:40px"><p>old</p></div>`,
      act: [['click', 'e'], ['press', 'End'], ['type', ' new']],
      expect: [{ action: 'click' }, { action: 'fill', value: 'old new' }],
    },
    {
      name: 'Control+B in editable content (press, then one fill)',
      page: `<div id=e contenteditable role=textbox aria-label=Body style="min-height:40px"></div>`,
      act: [['click', 'e'], ['type', 'ab'], ['press', 'Control+b'], ['type', 'cd']],
      expect: [{ action: 'click' }, { action: 'fill', value: 'ab' }, { action: 'press', key: 'Control+B', name: 'Body' }, { action: 'fill', value: 'abcd' }],
    },
    {
      name: 'two editable elements, one of them in a button',
      page: `<button id=b><span id=e1 contenteditable role=textbox aria-label=Title>T</span></button><div id=e2 contenteditable role=textbox aria-label=Text>x</div>`,
      act: [['click', 'e1'], ['press', 'End'], ['type', '1'], ['click', 'e2'], ['press', 'End'], ['type', '2']],
      expect: [{ action: 'click', name: 'Title' }, { action: 'fill', name: 'Title', value: /^(T1|1T)$/ }, { action: 'click', name: 'Text' }, { action: 'fill', name: 'Text', value: /^(x2|2x)$/ }],
    },
    {
      name: 'designMode document in a frame',
      page: `<iframe id=f title=Editor srcdoc="<body aria-label=Page>"></iframe><script>f.onload=()=>{f.contentDocument.designMode='on'}</script>`,
      act: [['wait', 100], ['click', 'document.body', { frame: 'about:srcdoc' }], ['type', 'words']], then: ['f.contentDocument.body.textContent', 'words'],
      expect: [{ action: 'click' }, { action: 'fill', value: 'words' }],
      firefox: { then: ['document.body.textContent', 'words'] }, // asked in the frame that was clicked into
    },
  ],
};
