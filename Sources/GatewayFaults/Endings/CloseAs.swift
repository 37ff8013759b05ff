package import GatewayCore

/// A close frame with another code than the gateway's, e.g. 1011 for a refused token.
package struct CloseAs: EndingFault {
  package static let word = "close_as"
  package static let summary = "closes with this code and reason"
  package static let members = ["for", "code", "reason"]
  package static let example = #"{"fault": "close_as", "for": ["invalid_token"], "code": 1011}"#

  package let reasons: [Name]
  private let reason: CloseReason

  package init(_ fields: FaultFields) throws(GatewayError) {
    reasons = try fields.reasons()
    guard let reason = try fields.closeReason() else { throw fields.missing("code") }
    self.reason = reason
  }

  package func ending(for reason: CloseReason) -> Ending { .closed(self.reason) }
}
