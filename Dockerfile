# The toolkit in a container, for the CPU or, with the extra `gpu`, for a GPU of NVIDIA's:
#   docker build -t worldmodels .
#   docker build -t worldmodels --build-arg EXTRAS=gpu,web .
#   docker run --rm -it --user "$(id -u):$(id -g)" -v "$PWD:/work" worldmodels train --config demo --logdir runs/demo
ARG PYTHON=3.12
FROM python:${PYTHON}-slim
ARG EXTRAS=web
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ make \
    && rm -rf /var/lib/apt/lists/*
COPY . /opt/worldmodels
RUN pip install --no-cache-dir "/opt/worldmodels[${EXTRAS}]"
# Runs and remembered settings go into the folder that is mounted here.
WORKDIR /work
ENV HOME=/work
ENTRYPOINT ["worldmodels"]
CMD ["doctor"]
