import Foundation

/// The scenes that run with one gateway only, although their suites have the ``SceneTrait``: `Tests/Vendors/single-scenes.json`.
enum SingleScenes {
  /// Why each of them does, by its name.
  static let reasons: [String: String] = {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Vendors/single-scenes.json")
    guard let data = try? Data(contentsOf: file),
      let reasons = try? JSONDecoder().decode([String: String].self, from: data)
    else { preconditionFailure("no list of scenes at \(file.path)") }
    return reasons
  }()
}
