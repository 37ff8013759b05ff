import GatewayKit

// What `postern ctl` asks of the Streem platform.

enum StreemCompanyAction: ControlAction {
  static let name = "ctl streem-company"
  static let summary = "make a company of the Streem platform, or change one"
  static let example = "postern ctl streem-company --company acme --company-name 'Acme Inc.'"
  static let ownFlags = [
    Flag("company", "CODE", "the company's code: small letters, digits and -"),
    Flag("company-name", "NAME", "what it is called"),
  ]

  static func request(_ arguments: Arguments, _ operand: String?) throws -> ControlRequest {
    guard let code = arguments.string("company") else { throw UsageError("\(name) needs --company CODE") }
    var body: [String: any Sendable] = ["code": code]
    if let name = arguments.string("company-name") { body["name"] = name }
    return ControlRequest("POST", "/streem/companies", body: body)
  }
}

enum StreemAPIKeyAction: ControlAction {
  static let name = "ctl streem-api-key"
  static let summary = "make an API key of the Streem platform; the answer is the only one that holds its secret"
  static let example = "postern ctl streem-api-key --company acme"
  static let ownFlags = [Flag("company", "CODE", "whose key it is (default: the home company's)")]

  static func request(_ arguments: Arguments, _ operand: String?) -> ControlRequest {
    let company = arguments.string("company")
    return ControlRequest("POST", "/streem/api-keys", body: company.map { ["company_code": $0] } ?? [:])
  }
}

enum StreemAPIKeysAction: ControlAction {
  static let name = "ctl streem-api-keys"
  static let summary = "the API keys of the Streem platform, without their secrets"
  static let example = "postern ctl streem-api-keys"

  static func request(_ arguments: Arguments, _ operand: String?) -> ControlRequest {
    ControlRequest("GET", "/streem/api-keys")
  }
}

enum StreemRevokeAPIKeyAction: ControlAction {
  static let name = "ctl streem-revoke-api-key"
  static let summary = "end an API key for ever; sessions that live by it are asked for another token, or closed"
  static let example = "postern ctl streem-revoke-api-key --api-key api_1"
  static let ownFlags = [Flag("api-key", "ID", "the key to end")]

  static func request(_ arguments: Arguments, _ operand: String?) throws -> ControlRequest {
    guard let id = arguments.string("api-key") else { throw UsageError("\(name) needs --api-key ID") }
    return ControlRequest("POST", "/streem/api-keys/\(ControlCommand.escaped(id))/revoke")
  }

  static func text(_ answer: ControlClient.Answer) -> String { ControlText.reached(answer) }
}
