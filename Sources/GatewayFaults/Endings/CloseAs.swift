package import GatewayCore

/// A close frame with another code than the gateway's, e.g. 1011 for a refused token.
package struct CloseAs: EndingFault {
  package static let word = "close_as"
  package static let summary = "closes with another code and reason"
  package static let members = ["code", "reason"] + FaultyClose.members
  package static let example = #"{"fault": "close_as", "for": ["invalid_token"], "code": 1011}"#

  package let close: FaultyClose
  private let reason: CloseReason

  package init(_ fields: FaultFields) throws(GatewayError) {
    close = try FaultyClose(fields)
    guard let reason = try fields.closeReason() else { throw fields.missing("code") }
    self.reason = reason
  }

  package func ending(for reason: CloseReason) -> Ending { .closed(self.reason) }
}
