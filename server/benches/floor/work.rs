//! The calls that are measured.

use serde_json::{Value, json};

/// A tool list and a candidate.
pub struct Work {
    /// For the table.
    pub name: &'static str,
    /// Microseconds in process.
    pub chain_floor_micros: f64,
    /// Ratios at 16 and 64 in flight.
    pub ratio_floors: [f64; 2],
    /// The tools as JSON.
    pub tools: Vec<u8>,
    /// The candidate as JSON.
    pub candidate: Vec<u8>,
}

impl Work {
    /// Fifty bytes of arguments against a small schema.
    pub fn small() -> Self {
        let tools = json!([weather("get_weather")]);
        Self::new(
            "small call",
            3.0,
            [1.5, 1.7],
            &tools,
            &[("get_weather", json!({"city": "Oslo", "unit": "celsius", "days": 3}))],
        )
    }

    /// A kilobyte of arguments against formats, patterns and nested arrays.
    pub fn heavy() -> Self {
        let item = json!({"type": "object", "additionalProperties": false, "required": ["sku", "quantity"], "properties": {
            "sku": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"},
            "quantity": {"type": "integer", "minimum": 1, "maximum": 99},
            "note": {"type": "string", "maxLength": 200}}});
        let schema = json!({"type": "object", "additionalProperties": false, "required": ["order_id", "items", "ship_to"], "properties": {
            "order_id": {"type": "string", "format": "uuid"},
            "placed": {"type": "string", "format": "date-time"},
            "contact": {"type": "string", "format": "email"},
            "items": {"type": "array", "minItems": 1, "maxItems": 50, "items": item},
            "ship_to": {"oneOf": [
                {"type": "object", "required": ["street", "city"], "properties": {"street": {"type": "string"}, "city": {"type": "string"}}},
                {"type": "object", "required": ["locker"], "properties": {"locker": {"type": "string"}}}]}}});
        let tools = json!([{"type": "function", "function": {"name": "place_order", "description": "Place an order", "parameters": schema}}]);
        let items: Vec<Value> = (0..12)
            .map(|number| json!({"sku": format!("ABC-{:04}", 1000 + number), "quantity": number + 1, "note": "leave it at the door please"}))
            .collect();
        let arguments = json!({"order_id": "1c9f7a52-6c1b-4b5e-9d5e-0f4a0b6f7c11", "placed": "2026-03-01T10:00:00Z",
            "contact": "ann@acme.test", "items": items, "ship_to": {"street": "Main Street 1", "city": "Oslo"}});
        Self::new(
            "1 KB, heavy schema",
            10.0,
            [1.7, 1.8],
            &tools,
            &[("place_order", arguments)],
        )
    }

    /// Several small calls in one turn, all different.
    pub fn parallel(count: usize) -> Self {
        let names: Vec<String> = (0..count).map(|number| format!("City {number}")).collect();
        let calls: Vec<(&str, Value)> = names
            .iter()
            .map(|city| ("get_weather", json!({"city": city, "unit": "celsius", "days": 3})))
            .collect();
        Self::new(
            "parallel calls",
            0.0,
            [0.0; 2],
            &json!([weather("get_weather")]),
            &calls,
        )
    }

    /// A small call among thirty tools of some 20 KB.
    pub fn thirty_tools() -> Self {
        let tools: Vec<Value> = (0..30)
            .map(|number| weather(&format!("get_weather_{number}")))
            .collect();
        Self::new(
            "thirty tools",
            0.0,
            [0.0; 2],
            &Value::Array(tools),
            &[("get_weather_7", json!({"city": "Oslo"}))],
        )
    }

    fn new(
        name: &'static str,
        chain_floor_micros: f64,
        ratio_floors: [f64; 2],
        tools: &Value,
        calls: &[(&str, Value)],
    ) -> Self {
        let calls: Vec<Value> = calls
            .iter()
            .enumerate()
            .map(|(index, (name, arguments))| {
                json!({"id": format!("call_{index}"), "type": "function", "function": {"name": name, "arguments": arguments.to_string()}})
            })
            .collect();
        let candidate = json!({"role": "assistant", "content": null, "tool_calls": calls});
        Self {
            name,
            chain_floor_micros,
            ratio_floors,
            tools: tools.to_string().into(),
            candidate: candidate.to_string().into(),
        }
    }
}

fn weather(name: &str) -> Value {
    json!({"type": "function", "function": {"name": name,
        "description": "Weather now and for the coming days at a place, with temperature, wind and rain, from the national service.",
        "parameters": {"type": "object", "required": ["city"], "properties": {
            "city": {"type": "string", "description": "Name of the place, with the country where the name is not unique"},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "description": "Unit of temperature"},
            "days": {"type": "integer", "minimum": 1, "maximum": 14, "description": "How many days ahead"}}}}})
}
