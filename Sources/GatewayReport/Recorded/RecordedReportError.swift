/// An error in reading a file as a report. Its description is the end of a sentence that begins with the file's name.
package struct RecordedReportError: Error, Hashable, CustomStringConvertible {
  /// The kind of error.
  package enum Kind: Hashable, Sendable {
    case notJSON
    case truncated
    case notAReport
    /// A report of that schema version, which this program does not know.
    case otherVersion(String)
    case wrong(at: String)
  }

  package let kind: Kind

  init(_ kind: Kind) {
    self.kind = kind
  }

  package var description: String {
    switch kind {
    case .notJSON: "is no JSON; expected the storm.json of postern storm --report"
    case .truncated: "ends in the middle: it was cut off, or is still being written"
    case .notAReport: "is JSON, but no report of a storm; expected the storm.json of postern storm --report"
    case .otherVersion(let version):
      "is a report of another version, \(version.prefix(40)); this postern reads \(StormReport.schema)"
    case .wrong(let place): "is a report that is not as \(StormReport.schema) has it, at \(place)"
    }
  }
}
