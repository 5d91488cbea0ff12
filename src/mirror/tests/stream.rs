//! Ops: what they change, what they count, what they refuse.

use serde_json::json;

use super::page::{TAB, announce, page};
use crate::mirror::{Mirror, MirrorError, NodeRef};
use crate::trace::Point;
use crate::wire::op::{Op, mark};

#[test]
fn the_canonical_form() {
    let page = page(
        "<!doctype html><html lang=en dir=ltr><body><!--c--><x-y><template shadowrootmode=closed>in<slot></slot></template>out</x-y>\
         <svg viewBox=x></svg></body></html>",
    );
    let element = |tag: &str, ns: i32, a: serde_json::Value, c: serde_json::Value| json!({"t": "element", "tag": tag, "ns": ns, "a": a, "c": c});
    let mut host = element("x-y", 0, json!({}), json!([{"t": "text", "d": "out"}]));
    host["s"] = json!([{"t": "text", "d": "in"}, element("slot", 0, json!({}), json!([]))]);
    host["m"] = json!("closed");
    let body = element(
        "body",
        0,
        json!({}),
        json!([{"t": "comment", "d": "c"}, host, element("svg", 1, json!({"viewBox": "x"}), json!([]))]),
    );
    let html = element("html", 0, json!({"dir": "ltr", "lang": "en"}), json!([body]));
    let wanted = json!({"t": "document", "c": [{"t": "doctype", "n": "html"}, html]});
    assert_eq!(page.mirror.dump(page.doc), wanted);
}

#[test]
fn moves_keep_identity_and_removal_takes_all() {
    let mut page = page("<ul :t=ul><li :t=a>a</li><li :t=b><b :t=deep>b</b></li><li :t=c>c</li></ul><ol :t=ol></ol>");
    let doc = page.doc;
    let id = |name: &str| page.node(name).node;
    let (ul, ol, a, b, c) = (id("ul"), id("ol"), id("a"), id("b"), id("c"));
    let deep = page.node("deep");
    let before = page.mirror.counters(TAB);
    page.apply(doc, Op::Move { id: c, parent: ul, previous: 0 });
    page.apply(doc, Op::Move { id: b, parent: ol, previous: 0 });
    page.apply(doc, Op::Move { id: a, parent: ul, previous: c });
    let text = |id: u32| page.mirror.text(NodeRef { doc, node: id });
    assert_eq!((text(ul), text(ol)), ("c a".to_owned(), "b".to_owned()));
    assert!(page.mirror.is_descendant(deep, NodeRef { doc, node: ol }));
    assert!(!page.mirror.is_descendant(deep, NodeRef { doc, node: ul }));
    page.apply(doc, Op::Remove { id: ol });
    assert!(!page.mirror.contains(deep));
    let after = page.mirror.counters(TAB);
    assert_eq!((after.moved - before.moved, after.removed - before.removed), (3, 4));
    assert_eq!(before.nodes - after.nodes, 4);
    // The place of what is gone is used again, by its own new number only.
    page.apply(doc, Op::Element { id: 900, parent: ul, previous: 0, tag: "li", ns: 0 });
    assert!(!page.mirror.contains(deep) && page.mirror.contains(NodeRef { doc, node: 900 }));
}

#[test]
fn counting() {
    let mut page = page("<p :t=p class=a>x</p><input :t=i value=a>");
    let (doc, p, i) = (page.doc, page.node("p").node, page.node("i").node);
    let start = page.mirror.counters(TAB);
    assert_eq!((start.attributes, start.text, start.values, start.nodes), (0, 0, 0, 3));
    page.apply(doc, Op::Attribute { id: p, name: "class", value: Some("b") });
    page.apply(doc, Op::Attribute { id: p, name: "class", value: None });
    page.apply(doc, Op::Data { id: p + 1, text: "y" });
    page.apply(doc, Op::Value { id: i, value: "b", secret: false });
    page.apply(doc, Op::Value { id: i, value: "b", secret: false });
    page.apply(doc, Op::Element { id: 50, parent: 1, previous: 0, tag: "b", ns: 0 });
    page.apply(doc, Op::Attribute { id: 50, name: "class", value: Some("new") });
    page.apply(doc, Op::Scroll { id: p, x: 0, y: 9 });
    page.apply(doc, Op::Time(5.0));
    let now = page.mirror.counters(TAB);
    assert_eq!((now.attributes, now.text, now.values, now.nodes), (2, 1, 1, 4));
    assert_eq!(now.added - start.added, 1);
}

#[test]
fn nonsense_is_refused_and_changes_nothing() {
    let mut page =
        page("<div :t=a><b :t=b>x</b></div><p :t=p></p><x-y :t=h><template shadowrootmode=open></template></x-y>");
    let doc = page.doc;
    let id = |name: &str| page.node(name).node;
    let (a, b, p, h) = (id("a"), id("b"), id("p"), id("h"));
    let text = b + 1;
    let before = (page.mirror.dump(doc), page.mirror.counters(TAB));
    let cases: Vec<(Op<'_>, MirrorError)> = vec![
        (Op::Remove { id: 99 }, MirrorError::Unknown { id: 99 }),
        (Op::Remove { id: 1 }, MirrorError::WrongKind { id: 1, wanted: "a child" }),
        (Op::Element { id: a, parent: 1, previous: 0, tag: "b", ns: 0 }, MirrorError::Duplicate { id: a }),
        (Op::Element { id: 0, parent: 1, previous: 0, tag: "b", ns: 0 }, MirrorError::Duplicate { id: 0 }),
        (Op::Text { id: 99, parent: 98, previous: 0, text: "x" }, MirrorError::Unknown { id: 98 }),
        (
            Op::Text { id: 99, parent: text, previous: 0, text: "x" },
            MirrorError::WrongKind { id: text, wanted: "a parent" },
        ),
        (Op::Text { id: 99, parent: 1, previous: b, text: "x" }, MirrorError::NotChild { previous: b, parent: 1 }),
        (Op::Move { id: a, parent: b, previous: 0 }, MirrorError::Cycle { id: a }),
        (Op::Move { id: a, parent: a, previous: 0 }, MirrorError::Cycle { id: a }),
        (Op::Move { id: a, parent: 1, previous: a }, MirrorError::Cycle { id: a }),
        (Op::Move { id: 1, parent: a, previous: 0 }, MirrorError::WrongKind { id: 1, wanted: "a child" }),
        (Op::Move { id: h + 1, parent: a, previous: 0 }, MirrorError::WrongKind { id: h + 1, wanted: "a child" }),
        (Op::Move { id: h, parent: h + 1, previous: 0 }, MirrorError::Cycle { id: h }),
        (
            Op::Shadow { id: 99, host: h, closed: false },
            MirrorError::WrongKind { id: h, wanted: "an element without a shadow root" },
        ),
        (Op::Shadow { id: 99, host: text, closed: false }, MirrorError::WrongKind { id: text, wanted: "an element" }),
        (Op::Data { id: p, text: "x" }, MirrorError::WrongKind { id: p, wanted: "a text or a comment" }),
        (Op::Attribute { id: 1, name: "x", value: None }, MirrorError::WrongKind { id: 1, wanted: "an element" }),
        (Op::Value { id: text, value: "x", secret: false }, MirrorError::WrongKind { id: text, wanted: "an element" }),
        (Op::Focus { id: 99 }, MirrorError::Unknown { id: 99 }),
        (Op::Frame { id: 99, token: "x" }, MirrorError::Unknown { id: 99 }),
    ];
    for (op, error) in cases {
        assert_eq!(page.mirror.apply(doc, &op), Err(error), "{op:?}");
    }
    assert_eq!((page.mirror.dump(doc), page.mirror.counters(TAB)), before);
    let mut other = Mirror::new();
    assert_eq!(other.apply(doc, &Op::Reset), Err(MirrorError::Document));
}

#[test]
fn a_reset_forgets() {
    let mut page = page("<p :t=p>x</p>");
    let (doc, p) = (page.doc, page.node("p"));
    page.apply(doc, Op::Reset);
    assert!(!page.mirror.contains(p));
    page.apply(doc, Op::Element { id: p.node, parent: 1, previous: 0, tag: "b", ns: 0 });
    page.apply(doc, Op::Mark(mark::SNAPSHOT));
    assert_eq!(page.mirror.tag(p), "b");
    // A node of a shadow tree can lose its root too.
    page.apply(doc, Op::Shadow { id: 70, host: p.node, closed: true });
    page.apply(doc, Op::Remove { id: 70 });
    page.apply(doc, Op::Shadow { id: 71, host: p.node, closed: true });
}

#[test]
fn frames_are_tied_by_tokens_in_either_order() {
    // The element is told first, then the document; below, the other way round.
    let mut page =
        page("<iframe title=Chat :t=frame :frame=child :box='100 50 300 200 1'></iframe><iframe :t=other></iframe>");
    let (top, frame, other) = (page.doc, page.node("frame"), page.node("other"));
    assert_eq!(page.mirror.child_document(frame), None);
    let child = page.load("child", false, "<iframe id=inner :t=inner :box='10 20 50 50 1'></iframe>");
    let inner = page.node("inner");
    let grandchild = page.load("grandchild", false, "<button :t=deep :box='1 2 30 10 3'>x</button>");
    let deep = page.node("deep");
    assert_eq!(page.mirror.parent_frame(grandchild), None);
    assert_eq!(page.mirror.origin(grandchild), None);
    page.apply(child, Op::Frame { id: inner.node, token: "grandchild" });
    let m = &page.mirror;
    assert_eq!(m.parent_frame(child), Some(frame));
    assert_eq!(m.parent_frame(top), None);
    assert_eq!(m.frame_path(grandchild), ["css=iframe[title=\"Chat\"]", "css=#inner"]);
    assert_eq!(m.origin(grandchild), Some(Point { x: 110.0, y: 70.0 }));
    let rect = m.rect(deep).unwrap();
    assert_eq!((rect.x, rect.y, rect.width), (111.0, 72.0, 30.0));
    assert_eq!(m.target(deep).dom_path, "/iframe[1] >> /iframe[1] >> /button[1]");
    // The frame navigates: the same element, another token.
    page.load("next", false, "<p>x</p>");
    page.apply(top, Op::Frame { id: frame.node, token: "next" });
    let m = &page.mirror;
    assert_eq!(m.parent_frame(child), None);
    assert_eq!(m.origin(child), None);
    assert_eq!(m.parent_frame(m.key("next").unwrap()), Some(frame));
    // A frame that claims to show its own document is not believed.
    page.apply(top, Op::Frame { id: other.node, token: "top" });
    assert_eq!(page.mirror.parent_frame(top), None);
    assert_eq!(page.mirror.child_document(other), None);
}

#[test]
fn documents_come_and_go() {
    let mut mirror = Mirror::new();
    let first = announce(&mut mirror, "a", true, "https://a.example/1");
    assert_eq!(announce(&mut mirror, "a", true, "https://a.example/1"), first);
    assert_eq!((mirror.key("a"), mirror.key("b")), (Some(first), None));
    assert_eq!((mirror.token(first), mirror.tab(first), mirror.top(TAB)), ("a", TAB, Some(first)));
    mirror.set_url(first, "https://a.example/2");
    assert_eq!(mirror.url(first), "https://a.example/2");
    let second = announce(&mut mirror, "b", true, "https://a.example/3");
    assert_eq!(mirror.top(TAB), Some(second));
    mirror.gone(first);
    mirror.gone(second);
    assert_eq!(mirror.top(TAB), None);
    // Back from the browser's cache.
    assert_eq!(announce(&mut mirror, "a", true, "https://a.example/2"), first);
    assert_eq!(mirror.top(TAB), Some(first));
    assert_eq!(mirror.top(8.0), None);
}

#[test]
fn titles() {
    let page = page("<html><head><title> An\n order </title></head><body><svg><title>no</title></svg></body></html>");
    assert_eq!(page.mirror.title(page.doc), "An order");
}
