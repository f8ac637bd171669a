//! stub
use serde_json::Value;
#[derive(Debug)]
pub struct Transform;
impl Transform {
    pub fn parse(_: &str) -> Option<Self> {
        None
    }
    pub fn proves_equal(&self, _: &Value, _: &Value, _: &Value) -> bool {
        false
    }
}
