//! `supple bench --readme`: the table of README, with what it takes to judge it: date, machine and commit.
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use super::cases::Case;
use super::machine::Machine;

/// Heads of the columns.
const HEAD: &str = "| twisted box | tetrahedra | local + global, 1 thread | 2 threads |";
const RULE: &str = "|---|---|---|---|";
const INTRO: &str = "Milliseconds per ADMM iteration by `supple bench --readme`, the least of several runs: ";

/// The line above the table: when, on what, and which version.
pub fn intro(machine: &Machine) -> String {
    format!(
        "{INTRO}{}, {}, {} threads, {:.1} GHz, {:.0} GB/s, lanes {}, commit {}.",
        date(),
        processor(),
        machine.threads,
        machine.ghz,
        machine.read_gbs,
        machine.lanes,
        commit()
    )
}

/// The table. A body is a row: its case on one thread, and that on all if there are more.
pub fn table(cases: &[Case]) -> String {
    let mut text = format!("{HEAD}\n{RULE}\n");
    for one in cases.iter().filter(|c| c.threads == 1) {
        let all = cases.iter().find(|c| c.threads > 1 && c.name == one.name);
        let time = |c: &Case| format!("{:.2} + {:.2}", c.local_ms, c.global_ms);
        let all = all.map_or("–".into(), time);
        text.push_str(&format!("| {} | {} | {} | {all} |\n", one.name, one.elements, time(one)));
    }
    text
}

/// What is missing in the part of a page that says how fast this is: the line above the table and the table itself.
#[cfg(test)]
fn check(text: &str) -> Result<(), String> {
    let intro =
        text.lines().find_map(|l| l.strip_prefix(INTRO)).ok_or("no line mentions `supple bench --readme`")?;
    let day = intro.split(',').next().unwrap_or_default();
    let parts: Vec<&str> = day.split('-').collect();
    let number = |part: &&str| part.bytes().all(|b| b.is_ascii_digit());
    if parts.iter().map(|p| p.len()).ne([4, 2, 2]) || !parts.iter().all(number) {
        return Err(format!("`{day}` is not a date"));
    }
    let commit = intro.rsplit("commit ").next().unwrap_or_default().trim_end_matches('.');
    if commit.len() < 7 || !commit.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(format!("`{commit}` is not a commit"));
    }
    if !intro.contains(" threads, ") || !intro.contains(" GHz, ") {
        return Err("the machine is unknown".into());
    }
    let mut rows = text.lines().skip_while(|l| *l != HEAD).skip(1);
    if rows.next() != Some(RULE) {
        return Err(format!("no table begins with {HEAD}"));
    }
    let rows: Vec<&str> = rows.take_while(|l| l.starts_with('|')).collect();
    for row in &rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [_, elements, one, all] = cells[..] else { return Err(format!("four cells are wanted: {row}")) };
        let time = |cell: &str| cell.split(" + ").filter(|t| t.parse::<f64>().is_ok()).count() == 2;
        if elements.parse::<u64>().is_err() || !time(one) || !(time(all) || all == "–") {
            return Err(format!("no numbers of the bench: {row}"));
        }
    }
    if rows.is_empty() { Err("the table is empty".into()) } else { Ok(()) }
}

/// Today in UTC, as 2026-01-31: days since 1970 to the Gregorian calendar, in years that begin in March.
fn date() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    day(seconds / 86_400)
}

fn day(since_1970: u64) -> String {
    let days = since_1970 + 719_468; // since the first of March of the year 0
    let (era, of_era) = (days / 146_097, days % 146_097); // 400 years
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153; // from March on
    let (day, month) = (of_year - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    format!("{:04}-{month:02}-{day:02}", era * 400 + year + u64::from(month <= 2))
}

/// Name of the processor where the system tells it.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find(|l| l.starts_with("model name")).and_then(|l| l.split(": ").nth(1));
    name.unwrap_or(std::env::consts::ARCH).trim().replace(',', " ")
}

/// The commit that is checked out where the command runs.
fn commit() -> String {
    let out = Command::new("git").args(["rev-parse", "--short=10", "HEAD"]).output();
    let text = out.ok().filter(|o| o.status.success()).and_then(|o| String::from_utf8(o.stdout).ok());
    text.map_or("unknown".into(), |t| t.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (since, name) in
            [(0, "1970-01-01"), (11_016, "2000-02-29"), (11_017, "2000-03-01"), (20_453, "2025-12-31")]
        {
            assert_eq!(day(since), name);
        }
    }

    #[test]
    fn the_readme_has_the_table_of_the_bench() {
        let readme = include_str!("../../../../../README.md");
        let speed = readme.split("## Speed").nth(1).and_then(|t| t.split("\n## ").next()).unwrap_or_default();
        assert_eq!(check(speed), Ok(()));
    }

    /// Neither a page without date or commit nor a table with words in it passes.
    #[test]
    fn other_tables_do_not_pass() {
        let good = format!(
            "{INTRO}2026-11-15, X, 2 threads, 3.2 GHz, 9 GB/s, lanes avx2, commit 59e5d7b1.\n\n{HEAD}\n{RULE}\n| a | 8748 | 1.1 + 0.1 | – |\n"
        );
        assert_eq!(check(&good), Ok(()));
        let bad = [
            ("2026-11-15", "lately"),
            ("59e5d7b1", "unknown"),
            ("1.1 + 0.1", "fast"),
            ("8748", "many"),
            (HEAD, "| a |"),
            ("3.2 GHz, ", ""),
        ];
        for (part, other) in bad {
            assert!(check(&good.replace(part, other)).is_err(), "{other}");
        }
    }
}
