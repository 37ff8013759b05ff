extension Threshold.Outcome {
  /// The verdict, the threshold, and the actual value.
  var row: [String] {
    let why = why.map { ": \($0)" } ?? ""
    return [holds ? "holds" : "FAILS", threshold, "is \(actual)\(why)"]
  }
}
