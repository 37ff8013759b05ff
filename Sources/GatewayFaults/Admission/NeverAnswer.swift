internal import GatewayCore

/// An upgrade request that is never answered, to test the client's timeout for opening a connection.
struct NeverAnswer: AdmissionFault {
  static let word = "never_answer"
  static let summary = "accepts the connection, and never answers the upgrade"
  static let example = #"{"fault": "never_answer", "times": 1}"#

  init(_ fields: FaultFields) throws(GatewayError) {}

  func refusal(_ words: (GatewayError) -> HTTPResponse) -> HTTPResponse? { nil }
}
