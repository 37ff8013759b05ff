internal import CLibWebSockets

/// The version of libwebsockets that this process runs with, e.g. `4.1.6`.
package enum LibraryVersion {
  /// Without the commit that the library was built from, which stands behind a dash.
  package static let text = String(
    String(cString: lws_get_library_version()).prefix { $0 != "-" && $0 != " " })
}
