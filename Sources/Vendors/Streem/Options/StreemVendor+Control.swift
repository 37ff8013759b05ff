internal import GatewayCore
package import GatewayKit

// The requests of `postern ctl` about the platform.

extension StreemVendor {
  package static let controlActions = [
    ControlAction(
      "streem-company", "make a company of the Streem platform, or change one",
      example: "streem-company --company acme --company-name 'Acme Inc.'",
      flags: [
        Flag("company", "CODE", "the company's code: small letters, digits and -"),
        Flag("company-name", "NAME", "what it is called"),
      ]
    ) { arguments, _ in
      guard let code = arguments.string("company") else { throw UsageError("ctl streem-company needs --company CODE") }
      return .post(
        "/streem/companies",
        [JSONMember("code", code)] + (arguments.string("company-name").map { [JSONMember("name", $0)] } ?? []))
    },
    ControlAction(
      "streem-api-key", "make an API key of the Streem platform; the answer is the only one that holds its secret",
      example: "streem-api-key --company acme",
      flags: [Flag("company", "CODE", "whose key it is (default: the home company's)")]
    ) { arguments, _ in
      .post("/streem/api-keys", arguments.string("company").map { [JSONMember("company_code", $0)] } ?? [])
    },
    ControlAction("streem-api-keys", "the API keys of the Streem platform, without their secrets") { _, _ in
      .get("/streem/api-keys")
    },
    ControlAction(
      "streem-revoke-api-key",
      "end an API key for ever; sessions that live by it are asked for another token, or closed",
      example: "streem-revoke-api-key --api-key api_1", flags: [Flag("api-key", "ID", "the key to end")],
      telling: .reach(mustBe: false)
    ) { arguments, _ in
      guard let id = arguments.string("api-key") else {
        throw UsageError("ctl streem-revoke-api-key needs --api-key ID")
      }
      return .post("/streem/api-keys/\(PercentEncoding.encode(id))/revoke")
    },
  ]
}
