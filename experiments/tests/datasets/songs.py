"""Two songs as comma-separated text, and a server that offers them for download."""

import http.server

CONTENT = b"2001," + b",".join([b"1"] * 90) + b"\n2002," + b",".join([b"2"] * 90) + b"\n"


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/none":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[:100] if self.path == "/short" else CONTENT)

    def log_message(self, *_):
        pass
