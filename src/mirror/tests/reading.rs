//! Snapshots and hashes.

use super::page::{Page, TAB, page};
use crate::trace::FailureCode;
use crate::wire::op::Op;

fn order_form() -> Page {
    let mut page = page(
        "<!doctype html><html><head><title>Order</title><style>p{}</style></head><body>\
         <header><h1>Order</h1></header>\
         <main><form aria-label=Order>\
         <label>Coupon <input name=coupon placeholder='Code' value=SAVE5 :focus></label>\
         <label>Note <textarea placeholder=Note></textarea></label>\
         <label><input type=checkbox :checked=1> Gift wrap</label>\
         <label>Country <select><option>France</option><option :selected=1>Spain</option></select></label>\
         <div><div><button :t=pay :box='0 0 9 9 7'>Pay <b>now</b></button></div></div>\
         <button disabled :t=cancel>Cancel</button><button aria-pressed=true aria-expanded=true>Bold</button>\
         <span>Total 12 EUR</span>\
         <p style='display:none'>secret</p><p :box='0 0 0 0 0'>squeezed</p>\
         </form>\
         <x-terms><template shadowrootmode=closed><a href=/terms><slot></slot></a><p>In the dark: 5</p></template>Terms</x-terms>\
         <img src=x><img alt=Logo src=x>\
         <table><tbody><tr><td>Ann</td><td><button>Edit</button></td></tr></tbody></table>\
         <iframe title=Check :frame=child></iframe>\
         <ul role=tablist><li role=tab aria-selected=true>One</li></ul>\
         </main></body></html>",
    );
    page.load("child", false, "<html><body><div><h2>Verify</h2><button :t=verify>Verify</button></div></body></html>");
    page
}

const ORDER_FORM: &str = r#"- banner [ref=e2]:
  - heading "Order" [level=1] [ref=e3]
- main [ref=e4]:
  - form "Order" [ref=e5]:
    - generic [ref=e6]:
      - text: Coupon
      - textbox "Coupon" [active] [ref=e7]:
        - /placeholder: Code
        - text: SAVE5
    - generic [ref=e8]:
      - text: Note
      - textbox "Note" [ref=e9]
    - generic [ref=e10]:
      - checkbox "Gift wrap" [checked] [ref=e11]
      - text: Gift wrap
    - generic [ref=e12]:
      - text: Country
      - combobox "Country" [ref=e13]:
        - option "France"
        - option "Spain" [selected]
    - button "Pay now" [ref=e14] [cursor=pointer]
    - button "Cancel" [disabled] [ref=e15]
    - button "Bold" [expanded] [pressed] [ref=e16]
    - text: Total 12 EUR
  - generic [ref=e17]:
    - link "Terms" [ref=e18]:
      - /url: /terms
    - paragraph [ref=e19]: "In the dark: 5"
  - img "Logo" [ref=e20]
  - table [ref=e21]:
    - rowgroup [ref=e22]:
      - row [ref=e23]:
        - cell "Ann" [ref=e24]
        - cell [ref=e25]:
          - button "Edit" [ref=e26]
  - iframe [ref=e27]:
    - generic [ref=f1e2]:
      - heading "Verify" [level=2] [ref=f1e3]
      - button "Verify" [ref=f1e4]
  - tablist [ref=e28]:
    - tab "One" [selected] [ref=e29]
"#;

#[test]
fn a_form_with_a_frame_and_a_shadow_tree() {
    let mut page = order_form();
    let got = page.mirror.snapshot(TAB).text;
    assert!(got == ORDER_FORM, "{got}");
}

#[test]
fn refs_stay_with_their_elements() {
    let mut page = order_form();
    let first = page.mirror.snapshot(TAB);
    assert_eq!(page.mirror.snapshot(TAB), first);
    let (pay, cancel, verify) = (page.node("pay"), page.node("cancel"), page.node("verify"));
    for (name, node) in [("e14", pay), ("ref=e15", cancel), ("aria-ref=f1e4", verify)] {
        assert_eq!(page.mirror.resolve(TAB, name).ok(), Some(node), "{name}");
    }
    // Something comes before: no ref moves, the newcomer gets a number of its own.
    page.apply(pay.doc, Op::Element { id: 5000, parent: 1, previous: 0, tag: "button", ns: 0 });
    let second = page.mirror.snapshot(TAB).text;
    assert!(second.starts_with("- button [ref=e30]\n"), "{second}");
    assert!(second.contains("button \"Pay now\" [ref=e14]"), "{second}");
    // Something leaves.
    page.apply(pay.doc, Op::Remove { id: cancel.node });
    let error = page.mirror.resolve(TAB, "e15").unwrap_err();
    assert_eq!(error.code, FailureCode::Gone);
    assert_eq!(
        error.message,
        "e15 was button \"Cancel\"; it has left the document since that snapshot; take a new snapshot"
    );
    let error = page.mirror.resolve(TAB, "e99").unwrap_err();
    assert_eq!(error.code, FailureCode::NotFound);
    // The frame's document goes.
    page.mirror.gone(verify.doc);
    assert_eq!(page.mirror.resolve(TAB, "f1e4").unwrap_err().code, FailureCode::Gone);
    // The whole document goes: numbers are never given twice.
    let next = page.load("next", true, "<button>Fresh</button>");
    page.mirror.gone(pay.doc);
    assert_eq!(page.mirror.snapshot(TAB).text, "- button \"Fresh\" [ref=e31]\n");
    assert_eq!(page.mirror.resolve(TAB, "e14").unwrap_err().code, FailureCode::Gone);
    assert_eq!(page.mirror.resolve(TAB, "e31").unwrap().doc, next);
}

#[test]
fn what_yaml_needs() {
    let cases = [
        ("<p>12</p>", "- paragraph [ref=e2]: \"12\"\n"),
        ("<p>a: b</p>", "- paragraph [ref=e2]: \"a: b\"\n"),
        ("<p>a:b</p>", "- paragraph [ref=e2]: a:b\n"),
        ("<p>- x</p>", "- paragraph [ref=e2]: \"- x\"\n"),
        ("<p>No</p>", "- paragraph [ref=e2]: \"No\"\n"),
        ("<p>say \"x\"</p>", "- paragraph [ref=e2]: say \"x\"\n"),
        ("<button>a: \"b\"</button>", "- 'button \"a: \\\"b\\\"\" [ref=e2]'\n"),
        ("<button>it's: x</button>", "- 'button \"it''s: x\" [ref=e2]'\n"),
        ("<input type=password :secret=••••••••>", "- textbox [ref=e2]: ••••••••\n"),
        ("just text", "- text: just text\n"),
        ("<div>a<div>b</div></div>", "- generic [ref=e2]:\n  - text: a\n  - generic [ref=e3]: b\n"),
        ("<b aria-hidden=true role=button>x</b>", "- button \"x\" [aria-hidden] [ref=e2]\n"),
        ("<details><summary>More</summary><p>x</p></details>", "- group [ref=e2]:\n  - generic \"More\" [ref=e3]\n"),
        ("<dialog><p>x</p></dialog>", ""),
        ("<iframe></iframe>", "- iframe [ref=e2]\n"),
        ("<h2>Very <em>big</em></h2>", "- heading \"Very big\" [level=2] [ref=e2]\n"),
        ("<a href='#'><img alt=Home></a>", "- link \"Home\" [ref=e2]:\n  - /url: \"#\"\n"),
    ];
    for (html, wanted) in cases {
        assert_eq!(page(html).mirror.snapshot(TAB).text, wanted, "{html}");
    }
    assert_eq!(page("").mirror.snapshot(TAB).text, "");
    assert_eq!(page("").mirror.snapshot(99.0).text, "");
}

#[test]
fn the_hash_sees_state_and_nothing_else() {
    let base = "<div id=a class=b><input id=i value=x><input type=checkbox><button aria-expanded=false>More</button><p>text</p></div>";
    let hash = |html: &str| page(html).mirror.state_hash(TAB);
    let start = hash(base);
    assert_eq!(start.len(), 16);
    for (from, to) in [
        ("id=a class=b", "id=z class=y data-x=1"),
        ("<input id=i", "<input :focus id=j"),
        ("<p>text</p>", "<p> text\n</p>"),
        ("<p>text</p>", "<p>text</p><script>x</script><p hidden>y</p>"),
        ("<div id=a class=b>", "<div id=a class=b :box='0 0 5 5 1'>"),
    ] {
        assert_eq!(hash(&base.replace(from, to)), start, "{to}");
    }
    for (from, to) in [
        ("value=x", "value=x :value=y"),
        ("type=checkbox", "type=checkbox :checked=1"),
        ("aria-expanded=false", "aria-expanded=true"),
        ("More", "Less"),
        ("<p>text</p>", "<p>other</p>"),
        ("<p>text</p>", ""),
        ("<p>text</p>", "<h1>text</h1>"),
        ("<button", "<button disabled"),
    ] {
        assert_ne!(hash(&base.replace(from, to)), start, "{to}");
    }
    let mut framed = order_form();
    let before = framed.mirror.state_hash(TAB);
    let verify = framed.node("verify");
    framed.apply(verify.doc, Op::Attribute { id: verify.node, name: "disabled", value: Some("") });
    assert_ne!(framed.mirror.state_hash(TAB), before, "frames count");
}
