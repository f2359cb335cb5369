//! The style sheet of the page: light and dark, wide and narrow.

pub(super) const SHEET: &str = "\
:root{--ink:#1b1f24;--soft:#57606a;--line:#d8dee4;--paper:#ffffff;--card:#f6f8fa;--yes:#00664a;--no:#b0420a;--link:#0a5fa8}\
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4af;--line:#333b45;--paper:#12161b;--card:#1a2027;\
--yes:#4cc9a0;--no:#ff9a5c;--link:#6cb6ff}}\
*{box-sizing:border-box}\
body{margin:0;background:var(--paper);color:var(--ink);\
font:16px/1.5 system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}\
main{max-width:74rem;margin:0 auto;padding:1rem 1.1rem 4rem}\
h1{font-size:1.7rem;line-height:1.25;margin:.8rem 0}\
h2{font-size:1.25rem;margin:2.6rem 0 .8rem;padding-top:.8rem;border-top:1px solid var(--line)}\
p{max-width:48rem}\
a{color:var(--link)}\
nav ul{padding-left:1.2rem;columns:2;column-gap:2rem}\
.wide{overflow-x:auto;margin:1rem 0}\
table{border-collapse:collapse;font-variant-numeric:tabular-nums}\
caption{text-align:left;color:var(--soft);padding:.2rem 0 .5rem}\
th,td{padding:.35rem .55rem;border-bottom:1px solid var(--line);text-align:right;vertical-align:top}\
th:first-child,td:first-child{text-align:left;padding-left:0}\
th{font-weight:600;color:var(--soft);vertical-align:bottom}\
.wide table{font-size:.93rem}\
.wide td{white-space:nowrap}\
.claims{width:100%;background:var(--card);border-radius:6px;margin:1rem 0}\
.claims th,.claims td{text-align:left;padding:.55rem .8rem}\
.claims th:first-child,.claims td:first-child{padding-left:.8rem;width:42%}\
.claims tr:last-child td{border-bottom:0}\
.yes{color:var(--yes);white-space:nowrap}.no{color:var(--no);white-space:nowrap}.open{color:var(--soft)}\
code{font-size:.92em;font-family:ui-monospace,'DejaVu Sans Mono',monospace}\
figure{margin:0}\
figcaption{color:var(--soft);font-size:.92rem;margin:.3rem 0 1rem}\
img{max-width:100%;height:auto;border-radius:6px;display:block}\
.plots{display:flex;flex-wrap:wrap;gap:1rem;margin:1rem 0}\
.plots figure{flex:1 1 30rem;min-width:0;max-width:44rem;overflow-x:auto}\
.plots svg{width:100%;height:auto;min-width:26rem;display:block}\
@media(max-width:40rem){nav ul{columns:1}\
.claims thead{display:none}\
.claims tr{display:block;padding:.6rem 0;border-bottom:1px solid var(--line)}\
.claims tr:last-child{border-bottom:0}\
.claims td,.claims td:first-child{display:block;width:auto;border:0;padding:.15rem .8rem}\
.claims td[data-label]::before{content:attr(data-label) ': ';color:var(--soft)}}";
