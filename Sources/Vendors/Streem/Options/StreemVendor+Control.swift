internal import GatewayCore
package import GatewayKit

// The requests of `postern ctl` about the platform.

extension StreemVendor {
  package static let controlActions = [
    ControlAction(
      "streem-company", "make a company of the Streem platform, or change one",
      example: "streem-company --company acme --company-name 'Acme Inc.'",
      options: [
        Option("company", "CODE", "the company's code: small letters, digits and -", \.code, .text),
        Option("company-name", "NAME", "what it is called", \.name, .text),
      ], from: CompanyDraft()
    ) { company, _ in
      guard let code = company.code else { throw UsageError("ctl streem-company needs --company CODE") }
      return .post(
        "/streem/companies", [JSONMember("code", code)] + (company.name.map { [JSONMember("name", $0)] } ?? []))
    },
    ControlAction(
      "streem-api-key", "make an API key of the Streem platform; the answer is the only one that holds its secret",
      example: "streem-api-key --company acme",
      options: [Option("company", "CODE", "whose key it is (default: the home company's)", \.code, .text)],
      from: CompanyDraft()
    ) { company, _ in
      .post("/streem/api-keys", company.code.map { [JSONMember("company_code", $0)] } ?? [])
    },
    ControlAction("streem-api-keys", "the API keys of the Streem platform, without their secrets") { _ in
      .get("/streem/api-keys")
    },
    ControlAction(
      "streem-revoke-api-key",
      "end an API key for ever; sessions that live by it are asked for another token, or closed",
      example: "streem-revoke-api-key --api-key api_1",
      options: [Option("api-key", "ID", "the key to end", \.self, .text)], from: String?.none,
      telling: .reach(user: nil)
    ) { id, _ in
      guard let id else { throw UsageError("ctl streem-revoke-api-key needs --api-key ID") }
      return .post("/streem/api-keys/\(PercentEncoding.encode(id))/revoke")
    },
  ]

  private struct CompanyDraft: Sendable {
    var code: String?
    var name: String?
  }
}
