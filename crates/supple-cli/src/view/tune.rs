//! Values of a scene that viewers change: ranges are those of the sliders, a little wider, and always within what the library
//! takes.
use serde_json::{Value, json};
use supple::scene::file::{Body, ContractKey, MaterialTable, OneOrMany, SceneFile};
use supple::settings::Wind;

/// Sets a value. On an error nothing changes.
pub fn set(file: &mut SceneFile, key: &str, value: &Value, body: Option<&str>) -> Result<(), String> {
    let mut new = file.clone();
    match key {
        "gravity" => new.world.gravity = vector(key, value, 1e4)?,
        "damping" => new.world.damping = number(key, value, 0.0, 1e3)?,
        "iterations" => new.solve.iterations = number(key, value, 1.0, 1e5)? as usize,
        "tolerance" => new.solve.tolerance = number(key, value, 0.0, 1.0)?,
        "weight_scale" => new.solve.weight_scale = number(key, value, 1e-6, 1e6)?,
        "method" => new.solve.method = word(key, value)?,
        "weight_rule" => new.solve.weight_rule = word(key, value)?,
        "friction" => friction(&mut new, number(key, value, 0.0, 10.0)?)?,
        "wind" => blow(&mut new, number(key, value, 0.0, 1e3)?)?,
        "muscle" => contract(&mut new, number(key, value, 0.0, 0.95)?)?,
        "young" | "poisson" | "stiffness" => {
            let value = match key {
                "poisson" => number(key, value, -0.95, 0.499)?,
                _ => number(key, value, 1e-3, 1e13)?,
            };
            let chosen = |b: &&mut Body| body.is_none_or(|name| b.name == name);
            let changed = new.body.iter_mut().filter(chosen).filter_map(|b| change(b, key, value)).count();
            if changed == 0 {
                return Err(match body {
                    Some(name) => format!("{key}: there is no body `{name}` that has it"),
                    None => format!("{key}: no body has it"),
                });
            }
        }
        _ => return Err(format!("`{key}` cannot be changed here")),
    }
    *file = new;
    Ok(())
}

/// Coulomb's coefficient of all obstacles and between bodies.
fn friction(file: &mut SceneFile, value: f64) -> Result<(), String> {
    if file.collide.is_none() && file.obstacle.is_empty() {
        return Err("friction: nothing touches anything in this scene".into());
    }
    file.obstacle.iter_mut().for_each(|o| o.friction = value);
    if let Some(collide) = &mut file.collide {
        collide.friction = value;
        collide.pair.iter_mut().for_each(|p| p.friction = value);
    }
    Ok(())
}

/// True if there is something that wind can blow at.
fn has_sheets(file: &SceneFile) -> bool {
    file.world.wind.is_some() || file.body.iter().any(|b| b.cloth.is_some())
}

fn speed(wind: &Wind) -> f64 {
    wind.velocity.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// The mean speed of the wind, in the direction that it has, or along x.
fn blow(file: &mut SceneFile, value: f64) -> Result<(), String> {
    if !has_sheets(file) {
        return Err("wind: it blows at sheets only, and there is none in this scene".into());
    }
    let wind = file.world.wind.get_or_insert_with(Wind::default);
    let now = speed(wind);
    let along = if now > 0.0 { wind.velocity.map(|c| c / now) } else { [1.0, 0.0, 0.0] };
    // A direction survives a speed of nothing.
    wind.velocity = along.map(|c| c * value.max(1e-6));
    Ok(())
}

/// How far all fibres have contracted, from now on.
fn contract(file: &mut SceneFile, value: f64) -> Result<(), String> {
    if file.contract.is_empty() {
        return Err("muscle: no fibres contract in this scene".into());
    }
    for c in &mut file.contract {
        c.motion = vec![ContractKey { time: 0.0, contraction: value }];
    }
    Ok(())
}

/// A number between two others.
fn number(key: &str, value: &Value, low: f64, high: f64) -> Result<f64, String> {
    match value.as_f64() {
        Some(v) if (low..=high).contains(&v) => Ok(v),
        _ => Err(format!("{key} must be a number from {low} to {high}, not {}", short(value))),
    }
}

fn vector(key: &str, value: &Value, most: f64) -> Result<[f64; 3], String> {
    let parts = value.as_array().filter(|p| p.len() == 3);
    let parts = parts.ok_or_else(|| format!("{key} must be three numbers, not {}", short(value)))?;
    let mut out = [0.0; 3];
    for (o, p) in out.iter_mut().zip(parts) {
        *o = number(key, p, -most, most)?;
    }
    Ok(out)
}

/// One of the words that the library knows.
fn word<T: serde::de::DeserializeOwned>(key: &str, value: &Value) -> Result<T, String> {
    serde_json::from_value(value.clone()).map_err(|e| format!("{key}: {e}"))
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(40).collect()
}

/// Changes a body that has such a value; the materials of its regions keep their ratio to the whole.
fn change(body: &mut Body, key: &str, value: f64) -> Option<()> {
    if key == "stiffness" {
        *body.springs.as_mut()?.stiffness.as_mut()? = value;
        return Some(());
    }
    let whole = body.material.as_mut()?;
    let (young, poisson) = constants(whole)?;
    match key {
        "young" => {
            let ratio = value / young;
            put(whole, value, poisson);
            for region in &mut body.region {
                if let Some((e, nu)) = constants(&region.material) {
                    put(&mut region.material, e * ratio, nu);
                }
            }
        }
        _ => {
            poisson?;
            put(whole, young, Some(value));
            for region in &mut body.region {
                if let Some((e, Some(_))) = constants(&region.material) {
                    put(&mut region.material, e, Some(value));
                }
            }
        }
    }
    Some(())
}

/// Young's modulus and Poisson's ratio of a material; one with a `stiffness` has that as the first, and no other.
fn constants(m: &MaterialTable) -> Option<(f64, Option<f64>)> {
    // Lists are the terms of Ogden's material, which has no constants of this kind.
    let mu = match &m.mu {
        Some(OneOrMany::One(mu)) => Some(*mu),
        _ => None,
    };
    match (m.stiffness, m.young, m.poisson, mu, m.lambda) {
        (Some(k), ..) => Some((k, None)),
        (None, Some(e), Some(nu), ..) => Some((e, Some(nu))),
        (None, _, _, Some(mu), Some(lambda)) if mu + lambda > 0.0 => {
            Some((mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu), Some(lambda / (2.0 * (lambda + mu)))))
        }
        _ => None,
    }
}

fn put(m: &mut MaterialTable, young: f64, poisson: Option<f64>) {
    match poisson {
        None => m.stiffness = Some(young),
        Some(nu) => (m.young, m.poisson, m.mu, m.lambda) = (Some(young), Some(nu), None, None),
    }
}

/// What a speed of nothing looks like.
fn round(speed: f64) -> f64 {
    if speed <= 1e-6 { 0.0 } else { (speed * 1e6).round() / 1e6 }
}

/// The values as viewers see them.
pub fn values(file: &SceneFile) -> Value {
    let bodies: Vec<Value> = file
        .body
        .iter()
        .map(|b| {
            let (young, poisson) =
                b.material.as_ref().and_then(constants).map_or((None, None), |(e, nu)| (Some(e), nu));
            json!({
                "name": b.name, "material": b.material.as_ref().map(|m| m.kind),
                "young": young, "poisson": poisson, "stiffness": b.springs.map(|s| s.stiffness),
            })
        })
        .collect();
    json!({
        "gravity": file.world.gravity, "damping": file.world.damping, "method": file.solve.method,
        "iterations": file.solve.iterations, "tolerance": file.solve.tolerance,
        "weight_rule": file.solve.weight_rule, "weight_scale": file.solve.weight_scale, "bodies": bodies,
        "friction": file.obstacle.first().map(|o| o.friction).or(file.collide.as_ref().map(|c| c.friction)),
        "wind": has_sheets(file).then(|| file.world.wind.as_ref().map_or(0.0, |w| round(speed(w)))),
        "muscle": file.contract.first().and_then(|c| c.motion.first()).map(|k| k.contraction),
        "scripted": file.contract.iter().any(|c| c.motion.len() > 1),
    })
}
