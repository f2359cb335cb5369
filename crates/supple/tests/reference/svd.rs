//! The signed singular value decomposition of a 3×3 matrix.

use super::{M3, V3};

/// F = U diag(σ) Vᵀ with det U = det V = +1 and σ₁ ≥ σ₂ ≥ |σ₃|; σ₃ carries the sign of det F.
pub struct SignedSvd {
    pub u: M3,
    pub sigma: V3,
    pub v: M3,
}

impl SignedSvd {
    /// R = U Vᵀ: of all rotations the nearest to F.
    pub fn rotation(&self) -> M3 {
        self.u * self.v.transpose()
    }

    /// U diag(s) Vᵀ: other stretches in the same directions.
    pub fn with_stretches(&self, s: &V3) -> M3 {
        self.u * M3::from_diagonal(s) * self.v.transpose()
    }
}

/// One-sided Jacobi: columns of F V are made orthogonal by rotations V, so that small singular values keep
/// their relative accuracy. What is left of F V is U diag(σ).
pub fn signed_svd(f: &M3) -> SignedSvd {
    let scale = f.amax();
    if scale == 0.0 {
        return SignedSvd { u: M3::identity(), sigma: V3::zeros(), v: M3::identity() };
    }
    let mut a = f / scale;
    let mut v = M3::identity();
    for _sweep in 0..60 {
        let mut rotated = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (app, aqq) = (a.column(p).norm_squared(), a.column(q).norm_squared());
            let apq = a.column(p).dot(&a.column(q));
            if apq.abs() <= 1e-17 * (app * aqq).sqrt() {
                continue;
            }
            rotated = true;
            let zeta = (aqq - app) / (2.0 * apq);
            let t = if zeta.abs() > 1e150 {
                0.5 / zeta
            } else {
                zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt())
            };
            let c = 1.0 / (1.0 + t * t).sqrt();
            let s = c * t;
            for m in [&mut a, &mut v] {
                let (mp, mq) = (m.column(p).into_owned(), m.column(q).into_owned());
                m.set_column(p, &(mp * c - mq * s));
                m.set_column(q, &(mp * s + mq * c));
            }
        }
        if !rotated {
            break;
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a.column(j).norm().total_cmp(&a.column(i).norm()));
    let mut av = M3::from_columns(&order.map(|i| a.column(i).into_owned()));
    let mut v = M3::from_columns(&order.map(|i| v.column(i).into_owned()));
    if v.determinant() < 0.0 {
        // F V and V change sign together: their product with Vᵀ stays.
        v.set_column(2, &-v.column(2));
        av.set_column(2, &-av.column(2));
    }
    // U is built as a rotation; the third stretch is whatever is left along u₃, with its sign.
    let u1 = av.column(0).normalize();
    let rest = av.column(1) - u1 * u1.dot(&av.column(1));
    let u2 = if rest.norm() > 1e-280 { rest.normalize() } else { any_perpendicular(&u1) };
    let u3 = u1.cross(&u2).normalize();
    let u = M3::from_columns(&[u1, u2, u3]);
    let sigma = V3::new(av.column(0).norm(), u2.dot(&av.column(1)), u3.dot(&av.column(2)));
    SignedSvd { u, sigma: sigma * scale, v }
}

/// U Vᵀ of the signed decomposition.
pub fn rotation_of(f: &M3) -> M3 {
    signed_svd(f).rotation()
}

fn any_perpendicular(u: &V3) -> V3 {
    u.cross(&V3::ith(u.iamin(), 1.0)).normalize()
}
