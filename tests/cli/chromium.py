"""Chromium without a window, told what to do by DevTools over two pipes: no port, no package beside the standard library."""

import base64
import json
import os
import select
import shutil
import subprocess
import time


def find():
    """The program; None where none is installed."""
    for name in ("chromium", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Chromium:
    """One browser with one page. `complaints` has what pages that were opened wrote to the log or the console."""

    def __init__(self, program, folder, seconds=60):
        self.last, self.number, self.buffer, self.session, self.complaints = time.monotonic() + seconds, 0, b"", None, []
        self.loaded = False
        read_there, self.to = os.pipe()
        self.answers, write_there = os.pipe()

        def pipes():  # DevTools reads 3 and writes 4
            there = os.dup(read_there), os.dup(write_there)
            os.dup2(there[0], 3)
            os.dup2(there[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-extensions",
             "--force-color-profile=srgb", "--lang=en", "--remote-debugging-pipe", f"--user-data-dir={folder}",
             "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=pipes,
            close_fds=False)
        os.close(read_there)
        os.close(write_there)
        pages = []
        while not pages:
            pages = [t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        self.session = self.ask("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.answers)

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next()
            if answer.get("id") == self.number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]

    def next(self):
        """The next message; events are looked at on the way."""
        while b"\0" not in self.buffer:
            left = self.last - time.monotonic()
            assert left > 0 and select.select([self.answers], [], [], left)[0], "Chromium does not answer"
            some = os.read(self.answers, 1 << 20)
            assert some, "Chromium has ended"
            self.buffer += some
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        event = message.get("method")
        if event == "Page.loadEventFired":
            self.loaded = True
        if event in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
            self.complaints.append(json.dumps(message["params"])[:400])
        return message

    def open(self, path, width, height, phone):
        """A file, in a window of that size; a phone lays out as its viewport says and has no room for scroll bars."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
        self.loaded = False
        answer = self.ask("Page.navigate", url="file://" + os.path.abspath(path))
        assert "errorText" not in answer, answer
        while not self.loaded:
            self.next()
        # Consequences of a layout, such as what can be scrolled, are known in the frame after it.
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => 0)")

    def run(self, script):
        """The value of an expression of JavaScript; of a promise what it brings."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def picture(self, path, clip=None):
        """The whole page, or a part, as PNG."""
        if clip is None:
            size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"]}
        answer = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip={**clip, "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))
