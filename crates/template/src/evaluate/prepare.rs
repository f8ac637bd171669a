//! Everything in its order, so that no evaluation goes deep.

use super::Evaluator;
use super::access::At;
use super::facts::Instance;
use crate::ir::{Declared, Entry, Expression, ExpressionKind};

impl Evaluator<'_> {
    /// Computes everything, what is needed by others first, so that no evaluation goes deep.
    pub(crate) fn prepare(&self) {
        for declared in &self.unit.sequence {
            match declared {
                Declared::Parameter(index) => {
                    let _ = self.parameter(*index);
                }
                Declared::Module(module) => {
                    for instance in self.frame.modules_of(*module).iter().flatten() {
                        self.of_frame(&instance.frame).prepare();
                    }
                }
                Declared::Variable(index) => self.prepare_variable(*index),
                Declared::Resource(resource) => {
                    let Some(properties) = &self.unit.resources[*resource].properties else {
                        continue;
                    };
                    let instances = self.frame.instances_of(*resource).iter().enumerate();
                    for (at, instance) in instances {
                        let at = At { resource: *resource, instance: at };
                        if let Some(instance) = instance {
                            self.prepare_parts(at, instance, properties);
                        }
                    }
                }
            }
        }
        for index in 0..self.unit.outputs.len() {
            let _ = self.output_value(index);
        }
    }

    /// Every part of a body that can be read by itself, the inner ones first.
    fn prepare_parts(&self, at: At, instance: &Instance, expression: &Expression) {
        if let ExpressionKind::Object(entries) = &expression.kind {
            for entry in entries {
                if let Entry::Member { value, .. } = entry {
                    self.prepare_parts(at, instance, value);
                }
            }
        }
        // What is wrong with it is told by whoever needs it.
        let _ = self.part_of_body(at, instance, expression);
    }
}
