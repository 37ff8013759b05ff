/// The order to close connections, `POST /users/ann/disconnect`.
package struct DisconnectOrder: ControlOrder {
  package static let form = #"{"code"?: 1000...4999, "reason"?: string}"#

  /// The close code; nil for 4005.
  package var code: UInt16?
  /// The close reason, 123 bytes at most; nil for `disconnected`.
  package var reason: String?

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case code
    case reason
  }

  package init(code: UInt16? = nil, reason: String? = nil) {
    self.code = code
    self.reason = reason
  }
}
