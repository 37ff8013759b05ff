import Foundation
import GatewayJSON
import GatewayPlanner
import Testing

@testable import postern

/// The schema of scenarios, for editors, has the keys that the command reads.
struct ScenarioSchemaTests {
  private static func schema() throws -> JSONDocument {
    let folder = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let file = URL(filePath: "/\(folder)/Deploy/scenarios/scenario.schema.json")
    return try JSONDocument.parse(Array(try Data(contentsOf: file)))
  }

  private static func names(_ pointer: String, in schema: JSONDocument) throws -> Set<String> {
    let found = try #require(JSONPointer(pointer)?.find(in: schema.root), "\(pointer)")
    return Set((found.members ?? []).map(\.name))
  }

  @Test
  func `the schema of scenarios has each key that a scenario may have, and no other`() throws {
    let schema = try Self.schema()
    let parts: [(pointer: String, keys: [String])] = [
      ("/properties", SimulateScenario.keys + [SimulateScenario.schemaKey]),
      ("/$defs/fleet/properties", SimulateScenario.fleetKeys),
      ("/$defs/client/properties", SimulateScenario.clientKeys),
      ("/$defs/gateway/properties", SimulateScenario.gatewayKeys + SimulateScenario.formerGatewayKeys.values),
      ("/$defs/provider/properties", ProviderModel.keys + ProviderModel.formerKeys.values),
    ]
    for (pointer, keys) in parts {
      #expect(try Self.names(pointer, in: schema) == Set(keys), "\(pointer)")
    }
  }
}
