//! The schemas within a schema and how they lead to one another.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

/// Schemas with a name of their own (`$id`, `$anchor`) that references are followed among.
pub(super) const MAX_NAMED: usize = 64;

/// The schemas within a schema. Node 0 is the root.
#[derive(Debug, Default)]
pub(super) struct Graph<'a> {
    nodes: Vec<Node<'a>>,
    /// Every pattern, of values and of keys.
    pub patterns: Vec<&'a str>,
    /// References of any kind.
    pub references: usize,
    /// References to a place that is not found here.
    pub unfollowed: usize,
    /// Schemas with a name of their own.
    pub named: usize,
}

#[derive(Debug, Default)]
struct Node<'a> {
    /// Schemas that apply to the same value.
    in_place: Vec<usize>,
    /// Schemas of one named property.
    properties: Vec<(&'a str, usize)>,
    /// Schemas of any other property, and of property names.
    any_property: Vec<usize>,
    /// Schemas of items.
    items: Vec<usize>,
}

/// Visits below a node: by property, for any other property, for items.
#[derive(Debug, Clone, Default)]
struct Below<'a> {
    properties: HashMap<&'a str, f64, ahash::RandomState>,
    any_property: f64,
    items: f64,
}

/// Reads the graph; the walk follows the positions where schemas stand, then the references.
struct Reader<'a> {
    graph: Graph<'a>,
    root: &'a Value,
    /// Node of each schema, by its address in the document: a schema that is reached twice is one node.
    known: HashMap<*const Value, usize, ahash::RandomState>,
    /// Schemas by `$anchor`, `$dynamicAnchor` and `$id`.
    named: HashMap<&'a str, Vec<&'a Value>, ahash::RandomState>,
    pending: Vec<(usize, &'a str)>,
}

impl<'a> Graph<'a> {
    pub(super) fn read(schema: &'a Value) -> Self {
        let mut reader = Reader {
            graph: Graph::default(),
            root: schema,
            known: HashMap::default(),
            named: HashMap::default(),
            pending: Vec::new(),
        };
        reader.node(schema);
        reader.graph.named = reader.named.values().map(Vec::len).sum();
        if reader.graph.named > MAX_NAMED {
            return reader.graph;
        }
        while let Some((from, reference)) = reader.pending.pop() {
            let targets = reader.targets(reference);
            if targets.is_empty() && !is_meta_schema(reference) {
                reader.graph.unfollowed += 1;
            }
            for target in targets {
                let target = reader.node(target);
                if let Some(node) = reader.graph.nodes.get_mut(from) {
                    node.in_place.push(target);
                }
            }
        }
        reader.graph
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no chain of schemas is longer than `max`, none at one place longer than `max_in_place`. Cycles are cut
    /// where they close.
    pub(super) fn check_chains(&self, max: usize, max_in_place: usize) -> Result<(), String> {
        let all = |node: &Node<'_>| -> Vec<usize> {
            let named = node.properties.iter().map(|(_, child)| *child);
            let rest = node
                .in_place
                .iter()
                .chain(&node.any_property)
                .chain(&node.items)
                .copied();
            named.chain(rest).collect()
        };
        let in_place = |node: &Node<'_>| node.in_place.clone();
        let too_long = |found: bool| match found {
            true => Err("the schema's references form too long a chain".to_owned()),
            false => Ok(()),
        };
        too_long(self.longest(max, all).is_none())?;
        too_long(self.longest(max_in_place, in_place).is_none())
    }

    /// The longest chain; `None`: longer than `max`. Depth first with a stack of its own.
    fn longest(&self, max: usize, children: impl Fn(&Node<'_>) -> Vec<usize>) -> Option<usize> {
        let mut height: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let mut open = vec![false; self.nodes.len()];
        let mut longest = 0;
        for start in 0..self.nodes.len() {
            let mut stack: Vec<(usize, Vec<usize>, usize)> = Vec::new();
            let mut enter = Some(start);
            loop {
                if let Some(at) = enter.take()
                    && height.get(at)?.is_none()
                    && !*open.get(at)?
                {
                    *open.get_mut(at)? = true;
                    stack.push((at, children(self.nodes.get(at)?), 0));
                    if stack.len() > max {
                        return None;
                    }
                }
                let Some((at, rest, best)) = stack.last_mut() else {
                    break;
                };
                if let Some(child) = rest.pop() {
                    *best = (*best).max(height.get(child)?.map_or(0, |height| height + 1));
                    enter = Some(child);
                    if height.get(child)?.is_none() && !*open.get(child)? {
                        // Come back to this child once its own height is known.
                        rest.push(child);
                    }
                    continue;
                }
                let (at, best) = (*at, *best);
                if best > max {
                    return None;
                }
                *height.get_mut(at)? = Some(best);
                *open.get_mut(at)? = false;
                longest = longest.max(best);
                stack.pop();
            }
        }
        Some(longest)
    }

    /// The worst number of visits along one path, by the depth of the value, up to where it no longer grows.
    pub(super) fn visits_by_depth(&self, max_depth: usize, max_steps: usize) -> Result<Vec<f32>, String> {
        let order = self.in_place_order();
        let shares_place = self.shares_place();
        let mut steps = 0_usize;
        let mut here = vec![1.0_f64; self.nodes.len()];
        for &at in &order {
            here.set(at, 1.0 + self.sum_in_place(at, &here));
        }
        let mut total = here.clone();
        let mut by_depth = vec![total.first().copied().unwrap_or(1.0) as f32];
        for _ in 0..max_depth {
            let mut below: Vec<Below<'_>> = vec![Below::default(); self.nodes.len()];
            let mut next = here.clone();
            for &at in &order {
                if !shares_place.get(at).copied().unwrap_or(true) {
                    next.set(at, here.value(at) + self.most_below(at, &total, &mut steps));
                    continue;
                }
                let combined = self.below(at, &total, &below, &mut steps);
                if steps > max_steps {
                    return Err("the schema is too entangled to bound its cost".to_owned());
                }
                let property = combined
                    .properties
                    .values()
                    .fold(combined.any_property, |most, visits| most.max(*visits));
                next.set(at, here.value(at) + property.max(combined.items));
                if let Some(place) = below.get_mut(at) {
                    *place = combined;
                }
            }
            let settled = next.iter().zip(&total).all(|(new, old)| new == old);
            total = next;
            if settled {
                break;
            }
            by_depth.push(total.first().copied().unwrap_or(1.0) as f32);
        }
        Ok(by_depth)
    }

    /// Nodes that apply at the same place as another.
    fn shares_place(&self) -> Vec<bool> {
        let mut shares: Vec<bool> = self.nodes.iter().map(|node| !node.in_place.is_empty()).collect();
        for child in self.nodes.iter().flat_map(|node| &node.in_place) {
            if let Some(place) = shares.get_mut(*child) {
                *place = true;
            }
        }
        shares
    }

    /// What is visited below a node that is alone at its place.
    fn most_below(&self, at: usize, total: &[f64], steps: &mut usize) -> f64 {
        let Some(node) = self.nodes.get(at) else {
            return 0.0;
        };
        *steps += 1 + node.properties.len();
        let sum = |children: &[usize]| -> f64 { children.iter().map(|child| total.value(*child)).sum() };
        let named = node.properties.iter().map(|(_, child)| total.value(*child));
        named.fold(sum(&node.any_property).max(sum(&node.items)), f64::max)
    }

    fn sum_in_place(&self, at: usize, here: &[f64]) -> f64 {
        let node = self.nodes.get(at);
        node.into_iter()
            .flat_map(|node| &node.in_place)
            .map(|child| here.value(*child))
            .sum()
    }

    /// What is visited below a node: its own children and those of the schemas at the same place.
    fn below(&self, at: usize, total: &[f64], below: &[Below<'a>], steps: &mut usize) -> Below<'a> {
        let mut all = Below::default();
        let Some(node) = self.nodes.get(at) else {
            return all;
        };
        let sum = |children: &[usize]| children.iter().map(|child| total.value(*child)).sum();
        all.any_property = sum(&node.any_property);
        all.items = sum(&node.items);
        for (name, child) in &node.properties {
            all.properties.insert(name, total.value(*child));
        }
        *steps += 1 + node.properties.len() + node.any_property.len() + node.items.len();
        for other in node.in_place.iter().filter_map(|child| below.get(*child)) {
            *steps += 1 + all.properties.len() + other.properties.len();
            for (name, visits) in &mut all.properties {
                *visits += other.properties.get(name).copied().unwrap_or(other.any_property);
            }
            for (name, visits) in &other.properties {
                all.properties.entry(name).or_insert(visits + all.any_property);
            }
            all.any_property += other.any_property;
            all.items += other.items;
        }
        all
    }

    /// Nodes such that the schemas at the same place come before the ones that hold them; cycles are cut.
    fn in_place_order(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut seen = vec![false; self.nodes.len()];
        for start in 0..self.nodes.len() {
            let mut stack = vec![(start, 0)];
            while let Some((at, next)) = stack.pop() {
                let Some(node) = self.nodes.get(at) else {
                    continue;
                };
                if next == 0 {
                    match seen.get_mut(at) {
                        Some(seen) if !*seen => *seen = true,
                        _ => continue,
                    }
                }
                match node.in_place.get(next) {
                    Some(child) => {
                        stack.push((at, next + 1));
                        stack.push((*child, 0));
                    }
                    None => order.push(at),
                }
            }
        }
        order
    }
}

trait Values {
    fn value(&self, at: usize) -> f64;
}

impl Values for [f64] {
    fn value(&self, at: usize) -> f64 {
        self.get(at).copied().unwrap_or(1.0)
    }
}

trait SetValue {
    fn set(&mut self, at: usize, value: f64);
}

impl SetValue for Vec<f64> {
    fn set(&mut self, at: usize, value: f64) {
        if let Some(place) = self.get_mut(at) {
            *place = value;
        }
    }
}

impl<'a> Reader<'a> {
    /// The node of a schema, read when it is first reached. Recursion follows the nesting of the document only, which
    /// the JSON reader bounds.
    fn node(&mut self, schema: &'a Value) -> usize {
        if let Some(known) = self.known.get(&std::ptr::from_ref(schema)) {
            return *known;
        }
        let at = self.graph.nodes.len();
        self.graph.nodes.push(Node::default());
        self.known.insert(std::ptr::from_ref(schema), at);
        if let Value::Object(map) = schema {
            let mut node = Node::default();
            for (key, value) in map {
                self.keyword(at, key, value, schema, &mut node);
            }
            if let Some(place) = self.graph.nodes.get_mut(at) {
                *place = node;
            }
        }
        at
    }

    fn keyword(&mut self, at: usize, key: &'a str, value: &'a Value, schema: &'a Value, node: &mut Node<'a>) {
        match key {
            "$ref" | "$dynamicRef" | "$recursiveRef" => {
                if let Some(reference) = value.as_str() {
                    self.graph.references += 1;
                    self.pending.push((at, reference));
                }
            }
            "$id" | "id" | "$anchor" | "$dynamicAnchor" => {
                if let Some(name) = value.as_str() {
                    self.named.entry(last_segment(name)).or_default().push(schema);
                }
            }
            "allOf" | "anyOf" | "oneOf" => self.list(value, &mut node.in_place),
            "not" | "if" | "then" | "else" => node.in_place.push(self.node(value)),
            "dependentSchemas" | "dependencies" => self.values(value, &mut node.in_place),
            "properties" => {
                for (name, property) in value.as_object().into_iter().flatten() {
                    node.properties.push((name, self.node(property)));
                }
            }
            "patternProperties" => {
                let patterns = value.as_object().into_iter().flat_map(Map::keys);
                self.graph.patterns.extend(patterns.map(String::as_str));
                self.values(value, &mut node.any_property);
            }
            "additionalProperties" | "unevaluatedProperties" | "propertyNames" => {
                node.any_property.push(self.node(value));
            }
            "prefixItems" => self.list(value, &mut node.items),
            "items" if value.is_array() => self.list(value, &mut node.items),
            "items" | "additionalItems" | "unevaluatedItems" | "contains" => node.items.push(self.node(value)),
            "$defs" | "definitions" => self.values(value, &mut Vec::new()),
            "pattern" => self.graph.patterns.extend(value.as_str()),
            _ => {}
        }
    }

    fn list(&mut self, schemas: &'a Value, into: &mut Vec<usize>) {
        for schema in schemas.as_array().into_iter().flatten() {
            into.push(self.node(schema));
        }
    }

    fn values(&mut self, schemas: &'a Value, into: &mut Vec<usize>) {
        for schema in schemas.as_object().into_iter().flat_map(Map::values) {
            into.push(self.node(schema));
        }
    }

    /// The schemas that a reference may mean. Base addresses are not resolved: where several schemas bear a name, all
    /// of them count, which can only make the schema dearer.
    fn targets(&self, reference: &str) -> Vec<&'a Value> {
        let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let bases: Vec<&'a Value> = match last_segment(base) {
            "" => vec![self.root],
            name => self.named.get(name).cloned().unwrap_or_default(),
        };
        if fragment.is_empty() {
            return bases;
        }
        let fragment = percent_decoded(fragment);
        if fragment.starts_with('/') {
            let resources = self.named.values().flatten().copied();
            let bases = bases.iter().copied().chain(resources);
            return unique(bases.filter_map(|base| base.pointer(&fragment)));
        }
        self.named.get(fragment.as_str()).cloned().unwrap_or_default()
    }
}

/// The standard's own schemas, which the validator holds.
fn is_meta_schema(reference: &str) -> bool {
    ["http://json-schema.org/", "https://json-schema.org/"]
        .iter()
        .any(|base| reference.starts_with(base))
}

fn unique<'a>(schemas: impl Iterator<Item = &'a Value>) -> Vec<&'a Value> {
    let mut seen: HashSet<*const Value> = HashSet::new();
    schemas
        .filter(|schema| seen.insert(std::ptr::from_ref(*schema)))
        .collect()
}

fn last_segment(address: &str) -> &str {
    let address = address.strip_suffix('#').unwrap_or(address);
    address.rsplit('/').next().unwrap_or(address)
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let escaped = match (first, behind) {
            (b'%', [high, low, ..]) => std::str::from_utf8(&[*high, *low])
                .ok()
                .and_then(|digits| u8::from_str_radix(digits, 16).ok()),
            _ => None,
        };
        match escaped {
            Some(byte) => {
                bytes.push(byte);
                rest = behind.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}
