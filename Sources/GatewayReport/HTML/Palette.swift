/// The colours of pages and charts, light and dark. One colour has one meaning.
package enum Palette {
  /// One set of colours: two backgrounds, and the colours drawn on them.
  package struct Scheme: Sendable {
    package let ground: String
    package let card: String
    package let text: String
    package let faint: String
    package let rule: String
    /// Success: accepted, connected, back.
    package let good: String
    /// Demand: refresh requests, calls for refreshes.
    package let asked: String
    /// Failure: cut off, interrupted.
    package let bad: String
    /// Logins.
    package let login: String
    /// Waiting: requests in flight, and latencies.
    package let time: String
    /// An earlier run.
    package let before: String
    package let pass: String
    package let fail: String

    /// The colours that must stand out from the background, by their names in the style sheet.
    package var marks: [(name: String, colour: String)] {
      [
        ("good", good), ("asked", asked), ("bad", bad), ("login", login), ("time", time), ("before", before),
        ("pass", pass),
        ("fail", fail),
      ]
    }

    /// All colours as custom properties of a style sheet.
    var properties: String {
      let grounds: [(name: String, colour: String)] = [
        ("ground", ground), ("card", card), ("text", text), ("faint", faint), ("rule", rule),
      ]
      return (grounds + marks).map { "--\($0.name): \($0.colour);" }.joined(separator: " ")
    }
  }

  package static let light = Scheme(
    ground: "#fbfbfd", card: "#ffffff", text: "#1c2230", faint: "#5b6577", rule: "#e4e7ec", good: "#2f6fde",
    asked: "#b96f0b", bad: "#c8323e", login: "#16807a", time: "#7a4fc0", before: "#7a8496", pass: "#16794b",
    fail: "#c02633")
  package static let dark = Scheme(
    ground: "#11151c", card: "#1a202a", text: "#e6e9ef", faint: "#a3adbc", rule: "#2d3542", good: "#6ea3ff",
    asked: "#e8a33d", bad: "#ff7b85", login: "#4cc3ba", time: "#b795f2", before: "#8b96a8", pass: "#55c98d",
    fail: "#ff7b85")
}
