internal import GatewayCore
package import GatewayKit

// The requests of `postern ctl` about the platform.

extension StreemVendor {
  package static let controlActions = [
    ControlAction(
      "streem-company", "create or change a company of the Streem platform",
      example: "streem-company --company acme --company-name 'Acme Inc.'",
      options: [
        Option("company", "CODE", "the Streem company's code: lowercase letters, digits and -", \.code, .text),
        Option("company-name", "NAME", "the Streem company's name", \.name, .text),
      ], from: CompanyDraft()
    ) { company, _ in
      guard let code = company.code else { throw UsageError("ctl streem-company needs --company CODE") }
      return .post(
        "/streem/companies", [JSONMember("code", code)] + (company.name.map { [JSONMember("name", $0)] } ?? []))
    },
    ControlAction(
      "streem-api-key", "create an API key of the Streem platform; only this answer contains its secret",
      example: "streem-api-key --company acme",
      options: [
        Option("company", "CODE", "the Streem company that owns the key (default: the home company)", \.code, .text)
      ],
      from: CompanyDraft()
    ) { company, _ in
      .post("/streem/api-keys", company.code.map { [JSONMember("company_code", $0)] } ?? [])
    },
    ControlAction("streem-api-keys", "list the API keys of the Streem platform, without their secrets") { _ in
      .get("/streem/api-keys")
    },
    ControlAction(
      "streem-revoke-api-key",
      "revoke an API key for good; its sessions are asked for another token, or closed",
      example: "streem-revoke-api-key --api-key api_1",
      options: [Option("api-key", "ID", "the Streem API key to revoke", \.self, .text)], from: String?.none,
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
