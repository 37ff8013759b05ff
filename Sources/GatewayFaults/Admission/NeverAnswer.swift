package import GatewayCore

/// An upgrade request that is never answered, to test the client's timeout for opening a connection.
package struct NeverAnswer: AdmissionFault {
  package static let word = "never_answer"
  package static let summary = "accepts the connection, and never answers the upgrade"
  package static let example = #"{"fault": "never_answer", "times": 1}"#

  package init(_ fields: FaultFields) throws(GatewayError) {}

  package func refusal(_ words: (GatewayError) -> HTTPResponse) -> HTTPResponse? { nil }
}
