//! IndexedDB as futures. Handlers are a promise's own resolve and reject, so no closure outlives a request.

use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{IdbDatabase, IdbFactory, IdbKeyRange, IdbObjectStore, IdbRequest, IdbTransaction};

use crate::error::{StoreError, failed, words};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(extends = IdbDatabase)]
    type Durable;
    /// web-sys keeps the third argument behind an unstable flag.
    #[wasm_bindgen(method, catch, js_name = transaction)]
    fn transaction_with(this: &Durable, stores: &JsValue, mode: &str, how: &JsValue)
    -> Result<IdbTransaction, JsValue>;
}

/// The stores of version 1.
pub(crate) const STORES: [&str; 4] = ["sessions", "log", "blobs", "events"];

/// Opens the database and makes its stores.
pub(crate) async fn open(name: &str, version: u32) -> Result<IdbDatabase, StoreError> {
    let closed = |why: String| StoreError::Closed { why };
    let factory: IdbFactory = Reflect::get(&js_sys::global(), &"indexedDB".into())
        .ok()
        .and_then(|value| value.dyn_into().ok())
        .ok_or_else(|| closed("this browser context has no IndexedDB".into()))?;
    let request = factory.open_with_u32(name, version).map_err(|e| closed(words(&e)))?;
    let upgrade = Closure::<dyn FnMut(js_sys::Object)>::new({
        let request = request.clone();
        move |_| {
            let Some(database) = request.result().ok().and_then(|r| r.dyn_into::<IdbDatabase>().ok()) else { return };
            for store in STORES {
                if !database.object_store_names().contains(store) {
                    // A failure here aborts the upgrade, which the opening below reports.
                    let _ = database.create_object_store(store);
                }
            }
        }
    });
    request.set_onupgradeneeded(Some(upgrade.as_ref().unchecked_ref()));
    let opened = JsFuture::from(Promise::new(&mut |resolve, reject| {
        request.set_onsuccess(Some(&resolve));
        request.set_onerror(Some(&reject));
    }))
    .await;
    request.set_onupgradeneeded(None);
    match opened {
        Ok(_) => request.result().map_err(|e| closed(words(&e)))?.dyn_into().map_err(|e| closed(words(&e))),
        Err(_) => Err(closed(reason(&request))),
    }
}

fn reason(request: &IdbRequest) -> String {
    match request.error() {
        Ok(Some(error)) => words(&error.into()),
        Ok(None) => "no reason given".into(),
        Err(thrown) => words(&thrown),
    }
}

/// The result of a request.
pub(crate) async fn result(doing: &str, request: Result<IdbRequest, JsValue>) -> Result<JsValue, StoreError> {
    let request = request.map_err(|e| failed(doing, &e))?;
    let answered = JsFuture::from(Promise::new(&mut |resolve, reject| {
        request.set_onsuccess(Some(&resolve));
        request.set_onerror(Some(&reject));
    }))
    .await;
    match answered {
        Ok(_) => request.result().map_err(|e| failed(doing, &e)),
        Err(_) => Err(failed(doing, &reason(&request).into())),
    }
}

/// A transaction that writes, and is on disk when it completes.
pub(crate) struct Writing {
    transaction: IdbTransaction,
    finished: Promise,
    doing: &'static str,
}

impl Writing {
    pub(crate) fn begin(database: &IdbDatabase, stores: &[&str], doing: &'static str) -> Result<Writing, StoreError> {
        let how = js_sys::Object::new();
        Reflect::set(&how, &"durability".into(), &"strict".into()).map_err(|e| failed(doing, &e))?;
        let transaction = database
            .unchecked_ref::<Durable>()
            .transaction_with(&names(stores), "readwrite", &how)
            .map_err(|e| failed(doing, &e))?;
        let finished = Promise::new(&mut |resolve: Function, reject: Function| {
            transaction.set_oncomplete(Some(&resolve));
            transaction.set_onerror(Some(&reject));
            transaction.set_onabort(Some(&reject));
        });
        Ok(Writing { transaction, finished, doing })
    }

    pub(crate) fn put(&self, store: &str, key: &JsValue, value: &JsValue) -> Result<(), StoreError> {
        let store = self.store(store)?;
        store.put_with_key(value, key).map(|_| ()).map_err(|e| self.abort(&e))
    }

    pub(crate) fn delete(&self, store: &str, key: &JsValue) -> Result<(), StoreError> {
        let store = self.store(store)?;
        store.delete(key).map(|_| ()).map_err(|e| self.abort(&e))
    }

    fn store(&self, name: &str) -> Result<IdbObjectStore, StoreError> {
        self.transaction.object_store(name).map_err(|e| self.abort(&e))
    }

    /// Half a transaction must not be committed.
    fn abort(&self, thrown: &JsValue) -> StoreError {
        let _ = self.transaction.abort();
        failed(self.doing, thrown)
    }

    pub(crate) async fn finish(self) -> Result<(), StoreError> {
        match JsFuture::from(self.finished).await {
            Ok(_) => Ok(()),
            Err(event) => {
                let error = self.transaction.error().map(JsValue::from).unwrap_or(event);
                Err(failed(self.doing, &error))
            }
        }
    }
}

/// A store to read from.
pub(crate) fn reading(database: &IdbDatabase, store: &str, doing: &str) -> Result<IdbObjectStore, StoreError> {
    database
        .transaction_with_str(store)
        .and_then(|transaction| transaction.object_store(store))
        .map_err(|e| failed(doing, &e))
}

/// All keys `[session, …]`: an array sorts after every number and string.
pub(crate) fn within(session: &str) -> Result<IdbKeyRange, StoreError> {
    IdbKeyRange::bound(&Array::of1(&session.into()), &Array::of2(&session.into(), &Array::new()))
        .map_err(|e| failed("looking up a session", &e))
}

/// All keys `[session, number]` from that number on.
pub(crate) fn from(session: &str, number: u64) -> Result<IdbKeyRange, StoreError> {
    let first = Array::of2(&session.into(), &(number as f64).into());
    IdbKeyRange::bound(&first, &Array::of2(&session.into(), &Array::new()))
        .map_err(|e| failed("looking up a session", &e))
}

/// The results of two requests of one transaction.
pub(crate) async fn both(
    doing: &str,
    one: Result<IdbRequest, JsValue>,
    other: Result<IdbRequest, JsValue>,
) -> Result<(JsValue, JsValue), StoreError> {
    let (one, other) = (one.map_err(|e| failed(doing, &e))?, other.map_err(|e| failed(doing, &e))?);
    // Both handlers are set before either can be called.
    let waiting = [&one, &other].map(|request| {
        Promise::new(&mut |resolve, reject| {
            request.set_onsuccess(Some(&resolve));
            request.set_onerror(Some(&reject));
        })
    });
    for (promise, request) in waiting.into_iter().zip([&one, &other]) {
        if JsFuture::from(promise).await.is_err() {
            return Err(failed(doing, &reason(request).into()));
        }
    }
    let read = |request: &IdbRequest| request.result().map_err(|e| failed(doing, &e));
    Ok((read(&one)?, read(&other)?))
}

fn names(stores: &[&str]) -> JsValue {
    stores.iter().map(|name| JsValue::from(*name)).collect::<Array>().into()
}
