/// What `postern ctl` asks of the Streem platform.
enum StreemControl {
  static let actions = ["streem-company", "streem-api-key", "streem-api-keys", "streem-revoke-api-key"]

  static let flags = [
    Flag("company", "CODE", "streem-company: the company to make or change; streem-api-key: whose key it is"),
    Flag("company-name", "NAME", "streem-company: what it is called"),
    Flag("api-key", "ID", "streem-revoke-api-key: the key to end for ever"),
  ]

  static func request(_ action: String, _ arguments: Arguments) throws -> ControlRequest {
    switch action {
    case "streem-company":
      guard let code = arguments.string("company") else { throw UsageError("ctl \(action) needs --company CODE") }
      var body: [String: any Sendable] = ["code": code]
      if let name = arguments.string("company-name") { body["name"] = name }
      return ControlRequest("POST", "/streem/companies", body: body)
    case "streem-api-key":
      let company = arguments.string("company")
      return ControlRequest("POST", "/streem/api-keys", body: company.map { ["company_code": $0] } ?? [:])
    case "streem-revoke-api-key":
      guard let id = arguments.string("api-key") else { throw UsageError("ctl \(action) needs --api-key ID") }
      return ControlRequest("POST", "/streem/api-keys/\(ControlCommand.escaped(id))/revoke")
    default:
      return ControlRequest("GET", "/streem/api-keys")
    }
  }
}
