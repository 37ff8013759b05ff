extension Threshold.Outcome {
  /// Whether it holds, what was asked, what came.
  var row: [String] {
    let why = why.map { ": \($0)" } ?? ""
    return [holds ? "holds" : "FAILS", threshold, "is \(actual)\(why)"]
  }
}
