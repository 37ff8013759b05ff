package import GatewayCore
internal import GatewayJSON

/// The closes that a fault affects: by the names of Postern's reasons, or by codes.
package struct FaultyClose: Hashable, Sendable {
  /// The names of the affected reasons.
  package let reasons: [Name]
  private let codes: [ClosedRange<UInt16>]

  package static let members = ["for", "codes"]
  private static let codesMax = 64

  /// Reads the members `for` and `codes`; without them all closes are affected.
  init(_ fields: FaultFields) throws(GatewayError) {
    reasons = try fields.reasons()
    let elements = fields.value("codes").map { $0.elements ?? [] } ?? []
    codes = elements.compactMap { Self.range($0) }
    guard codes.count == elements.count, codes.count <= Self.codesMax, (fields.value("codes") == nil) == codes.isEmpty
    else {
      throw .invalidParameter.detailed(
        "codes must be an array of at most \(Self.codesMax) close codes, as 4000 or \"4100-4199\"")
    }
  }

  private static func range(_ view: JSONView) -> ClosedRange<UInt16>? {
    if let code = view.integer.flatMap({ UInt16(exactly: $0) }) { return code...code }
    let ends = view.string.map { $0.split(separator: "-", omittingEmptySubsequences: false) } ?? []
    let numbers = ends.compactMap { UInt16($0) }
    guard ends.count == numbers.count, let first = numbers.first, let last = numbers.last, numbers.count <= 2,
      first <= last
    else { return nil }
    return first...last
  }

  /// Returns whether a close for `reason` with `code` on the wire is among them.
  func takesIn(_ reason: CloseReason, saying code: UInt16) -> Bool {
    if reasons.isEmpty && codes.isEmpty { return true }
    return reasons.contains(Name(reason.name)) || codes.contains { $0.contains(code) }
  }
}
