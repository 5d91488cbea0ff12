pub mod html;
pub mod script;
