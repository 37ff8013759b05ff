/// The reason why a file is no report that can be read, as the end of a sentence that begins with the file's name: "is
/// no JSON", for instance.
package struct RecordedReportError: Error, Hashable, CustomStringConvertible {
  /// The kind of fault: the file ends in the middle, for instance.
  package enum Kind: Hashable, Sendable {
    case notJSON
    case truncated
    case notAReport
    /// Of that schema, of which this program knows nothing.
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
